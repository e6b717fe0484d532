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

/** When the tab's page last began to navigate, if that was after this moment. */
export const leftSince = (tabId: number, moment: number): number | undefined => ((leaving.get(tabId) ?? -1) >= moment ? leaving.get(tabId) : undefined);
export const isLeavingSince = (tabId: number, moment: number): boolean => leftSince(tabId, moment) !== undefined;
export const isOpeningSince = (tabId: number, moment: number): boolean => (opening.get(tabId) ?? -1) >= moment;
