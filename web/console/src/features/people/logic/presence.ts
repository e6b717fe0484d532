/** Proof that a person is here, for answers that reach far. */

import { HostError } from "@handrail/host";

/** What the server says when an answer needs proof. Without `passkey`, none is registered. */
export interface PresenceNeed {
  command: string;
  passkey?: PublicKeyCredentialRequestOptionsJSON;
}

export function presenceNeed(failure: unknown): PresenceNeed | null {
  const told = failure instanceof HostError ? (failure.details["context"] as { reason?: string; command?: string; passkey?: PublicKeyCredentialRequestOptionsJSON } | undefined) : undefined;
  if (told?.reason !== "presence" || told.command === undefined) return null;
  return { command: told.command, ...(told.passkey ? { passkey: told.passkey } : {}) };
}

/** Passkeys belong to a name, and an address such as 127.0.0.1 is none. */
export const canUsePasskeys = (): boolean => location.hostname === "localhost" && "PublicKeyCredential" in window;

/** The passkey's signature for exactly this answer; throws where the person refuses. */
export async function prove(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return credential.toJSON() as object;
}

/** A new passkey, as the server registers it. */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return credential.toJSON() as object;
}
