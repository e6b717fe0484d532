/** Every address that a tab's top frame has requested: rules also apply to the pages on the way. */

import { onDebuggerEvent } from "./debuggee";
import { journeySince } from "./navigation";

const MOST_STORED = 50;
const MOST_REPORTED = 20;

const hops = new Map<number, { url: string; at: number }[]>();
/**
 * Since when a tab's addresses are unreported: its action is running, has failed, or ended before its navigation did.
 */
const unreportedSince = new Map<number, number>();

export function watchHops(): void {
  const { webNavigation, tabs } = chrome;
  // A blocked address was requested as well.
  for (const event of [webNavigation.onBeforeNavigate, webNavigation.onCommitted, webNavigation.onErrorOccurred]) {
    event.addListener(({ tabId, frameId, url }: { tabId: number; frameId: number; url: string }) => {
      if (frameId === 0) addHop(tabId, url);
    });
  }
  // Only the debugger reports redirects by the server.
  onDebuggerEvent((tabId, method, params) => {
    if (method !== "Network.requestWillBeSent" || params["type"] !== "Document") return;
    const { redirectResponse, request } = params as { redirectResponse?: { url: string }; request: { url: string } };
    // A frame inside the page has its own redirects.
    if (redirectResponse && isSame(redirectResponse.url, hops.get(tabId)?.at(-1)?.url)) addHop(tabId, request.url);
  });
  tabs.onRemoved.addListener((tabId) => {
    hops.delete(tabId);
    unreportedSince.delete(tabId);
  });
}

function addHop(tabId: number, url: string): void {
  if (!/^https?:/.test(url)) return;
  const tabHops = hops.get(tabId) ?? [];
  if (isSame(url, tabHops.at(-1)?.url)) tabHops.at(-1)!.at = performance.now();
  else hops.set(tabId, [...tabHops, { url, at: performance.now() }].slice(-MOST_STORED));
}

/** Addresses that the tab passes from now on are reported with its next result. */
export function follow(tabId: number): void {
  if (!unreportedSince.has(tabId)) unreportedSince.set(tabId, performance.now());
}

/** The tab's next task isn't told what the tab passed before. */
export const unfollow = (tabId: number): void => void unreportedSince.delete(tabId);

/** Unreported addresses before the tab's current page. */
export function hopsBefore(tabId: number, pageUrl: unknown): string[] {
  const from = unreportedSince.get(tabId);
  if (from === undefined) return [];
  const journey = journeySince(tabId, from);
  if (!journey || journey.committedAt !== undefined || journey.error !== undefined) unreportedSince.delete(tabId);
  const passed = (hops.get(tabId) ?? []).filter(({ at }) => at >= from).map(({ url }) => url);
  return (isSame(passed.at(-1), pageUrl) ? passed.slice(0, -1) : passed).slice(-MOST_REPORTED);
}

const isSame = (one: string | undefined, other: unknown): boolean => one?.split("#")[0] === (typeof other === "string" ? other.split("#")[0] : undefined);
