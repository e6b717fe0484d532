/** Every address that a tab's top frame has asked for: the pages on the way to a page are places as well. */

import { onDebuggerEvent } from "./debuggee";
import { journeySince } from "./navigation";

const KEPT = 50;
const MOST_TOLD = 20;

const hops = new Map<number, { url: string; at: number }[]>();
/** Since when nothing was told of a tab: its action goes on, has failed, or was over before its journey was. */
const untold = new Map<number, number>();

export function watchHops(): void {
  const { webNavigation, tabs } = chrome;
  // An address that was stopped was asked for all the same.
  for (const event of [webNavigation.onBeforeNavigate, webNavigation.onCommitted, webNavigation.onErrorOccurred]) {
    event.addListener(({ tabId, frameId, url }: { tabId: number; frameId: number; url: string }) => {
      if (frameId === 0) note(tabId, url);
    });
  }
  // Redirects by the server are told by the debugger alone.
  onDebuggerEvent((tabId, method, params) => {
    if (method !== "Network.requestWillBeSent" || params["type"] !== "Document") return;
    const { redirectResponse, request } = params as { redirectResponse?: { url: string }; request: { url: string } };
    // A frame inside the page has a chain of its own.
    if (redirectResponse && isSame(redirectResponse.url, hops.get(tabId)?.at(-1)?.url)) note(tabId, request.url);
  });
  tabs.onRemoved.addListener((tabId) => {
    hops.delete(tabId);
    untold.delete(tabId);
  });
}

function note(tabId: number, url: string): void {
  if (!/^https?:/.test(url)) return;
  const known = hops.get(tabId) ?? [];
  if (isSame(url, known.at(-1)?.url)) known.at(-1)!.at = performance.now();
  else hops.set(tabId, [...known, { url, at: performance.now() }].slice(-KEPT));
}

/** What the tab passes from now on is told with the next result, whichever that is. */
export function follow(tabId: number): void {
  if (!untold.has(tabId)) untold.set(tabId, performance.now());
}

/** Whose tab it is next is told nothing of what it passed before. */
export const unfollow = (tabId: number): void => void untold.delete(tabId);

/** Those not told yet that lie before the page where the tab is now. */
export function hopsBefore(tabId: number, pageUrl: unknown): string[] {
  const from = untold.get(tabId);
  if (from === undefined) return [];
  const journey = journeySince(tabId, from);
  if (!journey || journey.committedAt !== undefined || journey.error !== undefined) untold.delete(tabId);
  const passed = (hops.get(tabId) ?? []).filter(({ at }) => at >= from).map(({ url }) => url);
  return (isSame(passed.at(-1), pageUrl) ? passed.slice(0, -1) : passed).slice(-MOST_TOLD);
}

const isSame = (one: string | undefined, other: unknown): boolean => one?.split("#")[0] === (typeof other === "string" ? other.split("#")[0] : undefined);
