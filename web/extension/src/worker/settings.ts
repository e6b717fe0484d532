/** What outlives the browser: who this plugin is, and the server that it is paired with. */

export interface Pairing { server: string; token: string; pairedAt: number }

let known: Promise<string> | undefined;

export function clientId(): Promise<string> {
  return (known ??= storedClientId().catch((error: unknown) => {
    known = undefined; // asked again the next time
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

let paired: Promise<Pairing | null> | undefined;
chrome.storage?.local.onChanged?.addListener((changes) => {
  if ("pairing" in changes) paired = undefined;
});

export function pairing(): Promise<Pairing | null> {
  return (paired ??= storedPairing().catch((error: unknown) => {
    paired = undefined; // asked again the next time
    throw error;
  }));
}

async function storedPairing(): Promise<Pairing | null> {
  return (await chrome.storage.local.get<{ pairing?: Pairing }>("pairing")).pairing ?? null;
}

export async function savePairing(found: Pairing | null): Promise<void> {
  paired = undefined;
  if (found) await chrome.storage.local.set({ pairing: found });
  else await chrome.storage.local.remove("pairing");
  paired = undefined;
}
