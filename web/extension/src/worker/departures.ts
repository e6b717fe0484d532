/**
 * Notices that a page is about to navigate or open a window. The debugger reports it in order, before the browser has
 * begun.
 */

import { onDebuggerEvent } from "./debuggee";
import { isTopFrame } from "./worlds";

const leaving = new Map<number, number>();
const opening = new Map<number, number>();

export function watchDepartures(): void {
  onDebuggerEvent((tabId, method, params) => {
    if (method === "Page.windowOpen") opening.set(tabId, performance.now());
    const isAsking = method === "Page.frameRequestedNavigation" || method === "Page.frameScheduledNavigation";
    if (isAsking && isTopFrame(tabId, params["frameId"] as string)) leaving.set(tabId, performance.now());
  });
  chrome.tabs.onRemoved.addListener((tabId) => {
    leaving.delete(tabId);
    opening.delete(tabId);
  });
}

export const isLeavingSince = (tabId: number, moment: number): boolean => (leaving.get(tabId) ?? -1) >= moment;
export const isOpeningSince = (tabId: number, moment: number): boolean => (opening.get(tabId) ?? -1) >= moment;
