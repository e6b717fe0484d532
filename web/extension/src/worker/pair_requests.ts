/** A page's request to pair: it waits for a person, in a window of the extension that opens automatically. */

import type { PairRequest } from "./view";

/** As long as a pairing code is valid. */
const VALID_MS = 600_000;
const SIZE = { width: 460, height: 400 };

interface Stored extends PairRequest { at: number; windowId?: number }

async function stored(): Promise<Stored | null> {
  const { pairRequest } = await chrome.storage.session.get<{ pairRequest?: Stored }>("pairRequest");
  return pairRequest && Date.now() - pairRequest.at < VALID_MS ? pairRequest : null;
}

export async function pendingRequest(): Promise<PairRequest | null> {
  const request = await stored();
  return request && { server: request.server, code: request.code };
}

let last: Promise<unknown> = Promise.resolve();

/** False while a person is asked about another server: a question that is being read isn't replaced. */
export function openRequest(request: PairRequest, show: () => Promise<void>): Promise<boolean> {
  // One after the other: two simultaneous requests must not open two windows.
  const result = last.then(() => openWindow(request, show));
  last = result.catch(() => undefined);
  return result;
}

async function openWindow(request: PairRequest, show: () => Promise<void>): Promise<boolean> {
  const before = await stored();
  if (before && before.server !== request.server) return false;
  await chrome.storage.session.set({ pairRequest: { ...before, ...request, at: Date.now() } });
  await show();
  const isThere = before?.windowId !== undefined && (await chrome.windows.update(before.windowId, { focused: true }).then(() => true, () => false));
  if (isThere) return true;
  const opened = await chrome.windows.create({ url: "pair.html", type: "popup", focused: true, ...SIZE });
  await chrome.storage.session.set({ pairRequest: { ...request, at: Date.now(), windowId: opened?.id } });
  // It may have been closed before its id was known.
  if (!(await chrome.windows.get(opened?.id ?? -1).then(() => true, () => false))) {
    await clearRequest();
    await show();
  }
  return true;
}

export async function clearRequest(): Promise<void> {
  await chrome.storage.session.remove("pairRequest");
}

/** Closing the window means no. */
export async function windowClosed(windowId: number): Promise<boolean> {
  if ((await stored())?.windowId !== windowId) return false;
  await clearRequest();
  return true;
}
