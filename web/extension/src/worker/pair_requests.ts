/** A page's request to be paired with: it waits for a person, in a window of the extension's own that opens by itself. */

import type { PairRequest } from "./view";

/** As long as a code is good. */
const VALID_MS = 600_000;
const SIZE = { width: 460, height: 400 };

interface Stored extends PairRequest { at: number; windowId?: number }

async function stored(): Promise<Stored | null> {
  const { pairRequest } = await chrome.storage.session.get<{ pairRequest?: Stored }>("pairRequest");
  return pairRequest && Date.now() - pairRequest.at < VALID_MS ? pairRequest : null;
}

export async function pendingRequest(): Promise<PairRequest | null> {
  const found = await stored();
  return found && { server: found.server, code: found.code };
}

let last: Promise<unknown> = Promise.resolve();

/** False while a person is asked about another server: no question takes the place of the one that is read. */
export function holdRequest(request: PairRequest, show: () => Promise<void>): Promise<boolean> {
  // One after the other: two that come at once must not open two windows.
  const held = last.then(() => hold(request, show));
  last = held.catch(() => undefined);
  return held;
}

async function hold(request: PairRequest, show: () => Promise<void>): Promise<boolean> {
  const before = await stored();
  if (before && before.server !== request.server) return false;
  await chrome.storage.session.set({ pairRequest: { ...before, ...request, at: Date.now() } });
  await show();
  const isThere = before?.windowId !== undefined && (await chrome.windows.update(before.windowId, { focused: true }).then(() => true, () => false));
  if (isThere) return true;
  const opened = await chrome.windows.create({ url: "pair.html", type: "popup", focused: true, ...SIZE });
  await chrome.storage.session.set({ pairRequest: { ...request, at: Date.now(), windowId: opened?.id } });
  // It may have been closed before anybody knew that it is the one.
  if (!(await chrome.windows.get(opened?.id ?? -1).then(() => true, () => false))) {
    await clearRequest();
    await show();
  }
  return true;
}

export async function clearRequest(): Promise<void> {
  await chrome.storage.session.remove("pairRequest");
}

/** Who closes the window has said no. */
export async function windowClosed(windowId: number): Promise<boolean> {
  if ((await stored())?.windowId !== windowId) return false;
  await clearRequest();
  return true;
}
