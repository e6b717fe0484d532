/** A request of a page to pair with another server than now: it waits for a person in the popup. */

import type { PairRequest } from "./view";

/** As long as a code is good. */
const VALID_MS = 600_000;

interface Stored extends PairRequest { at: number }

export async function pendingRequest(): Promise<PairRequest | null> {
  const { pairRequest } = await chrome.storage.session.get<{ pairRequest?: Stored }>("pairRequest");
  return pairRequest && Date.now() - pairRequest.at < VALID_MS ? pairRequest : null;
}

export async function holdRequest(request: PairRequest): Promise<void> {
  await chrome.storage.session.set({ pairRequest: { ...request, at: Date.now() } });
  // Not every window can show the popup by itself; the toolbar's "?" stays either way.
  await chrome.action.openPopup().catch(() => undefined);
}

export async function clearRequest(): Promise<void> {
  await chrome.storage.session.remove("pairRequest");
}
