/** Proof that a person is here, for what reaches far. */

import { HostError } from "@handrail/host";

/** What the server says where it needs proof, and the ways there are: without `passkey`, none is registered; without `window`, no enrolled browser is connected. */
export interface PresenceNeed {
  command: string;
  passkey?: PublicKeyCredentialRequestOptionsJSON;
  window?: { name: string };
}

export function presenceNeed(failure: unknown): PresenceNeed | null {
  const told = failure instanceof HostError ? (failure.details["context"] as ({ reason?: string } & Partial<PresenceNeed>) | undefined) : undefined;
  if (told?.reason !== "presence" || told.command === undefined) return null;
  return { command: told.command, ...(told.passkey ? { passkey: told.passkey } : {}), ...(told.window ? { window: told.window } : {}) };
}

/** The extension's own window is asked, while the page waits. */
export const IN_WINDOW = { kind: "window" };

/** Passkeys belong to a name, and an address such as 127.0.0.1 is none. */
export const canUsePasskeys = (): boolean => location.hostname === "localhost" && "PublicKeyCredential" in window;

/** The passkey's signature for exactly this; throws where the person refuses. */
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
