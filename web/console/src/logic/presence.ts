/** Proof that a person is present, for far-reaching answers. */

import { HostError } from "@handrail/host";

/**
 * What the server says if it needs proof, and the available ways: without `passkey`, none is registered; without
 * `window`, no enrolled browser is connected.
 */
export interface PresenceNeed {
  command: string;
  passkey?: PublicKeyCredentialRequestOptionsJSON;
  window?: { name: string };
}

export function presenceNeed(failure: unknown): PresenceNeed | null {
  const context = failure instanceof HostError ? (failure.details["context"] as ({ reason?: string } & Partial<PresenceNeed>) | undefined) : undefined;
  if (context?.reason !== "presence" || context.command === undefined) return null;
  return { command: context.command, ...(context.passkey ? { passkey: context.passkey } : {}), ...(context.window ? { window: context.window } : {}) };
}

/** The extension's own window is asked, while the page waits. */
export const IN_WINDOW = { kind: "window" };

/** Passkeys belong to a host name; an address such as 127.0.0.1 isn't one. */
export const canUsePasskeys = (): boolean => location.hostname === "localhost" && "PublicKeyCredential" in window;

/** The passkey's signature for exactly this; throws if the person refuses. */
export async function signWithPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return credential.toJSON() as object;
}

/** A new passkey, in the form the server registers. */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return credential.toJSON() as object;
}
