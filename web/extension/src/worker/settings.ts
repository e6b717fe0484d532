/** What survives a browser restart: this plugin's id, and the server that it is paired with. */

export interface Pairing { server: string; token: string; pairedAt: number }

let clientIdPromise: Promise<string> | undefined;

export function clientId(): Promise<string> {
  return (clientIdPromise ??= storedClientId().catch((error: unknown) => {
    clientIdPromise = undefined; // tried again the next time
    throw error;
  }));
}

async function storedClientId(): Promise<string> {
  const { clientId } = await chrome.storage.local.get<{ clientId?: string }>("clientId");
  if (clientId) return clientId;
  const fresh = `plugin-${crypto.randomUUID()}`;
  await chrome.storage.local.set({ clientId: fresh });
  return fresh;
}

let pairingPromise: Promise<Pairing | null> | undefined;
chrome.storage?.local.onChanged?.addListener((changes) => {
  if ("pairing" in changes) pairingPromise = undefined;
});

export function pairing(): Promise<Pairing | null> {
  return (pairingPromise ??= storedPairing().catch((error: unknown) => {
    pairingPromise = undefined; // tried again the next time
    throw error;
  }));
}

async function storedPairing(): Promise<Pairing | null> {
  return (await chrome.storage.local.get<{ pairing?: Pairing }>("pairing")).pairing ?? null;
}

export async function savePairing(value: Pairing | null): Promise<void> {
  pairingPromise = undefined;
  if (value) await chrome.storage.local.set({ pairing: value });
  else await chrome.storage.local.remove("pairing");
  pairingPromise = undefined;
}
