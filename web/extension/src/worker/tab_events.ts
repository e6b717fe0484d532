/**
 * Sends every change of tabs, windows and groups as a `tab_event`; after moves, which shift all others, the whole
 * state.
 */

import type { StateEventType } from "../protocol";
import { wireGroup, wireTab, wireWindow } from "./snapshot";

export interface EventSink {
  event(eventType: StateEventType, what: Record<string, unknown>): void;
  resync(): void;
}

export function watchBrowser({ event, resync }: EventSink): void {
  const { tabs, windows, tabGroups } = chrome;
  tabs.onCreated.addListener((tab) => event("tab_created", { tab: wireTab(tab) }));
  tabs.onUpdated.addListener((_, __, tab) => event("tab_updated", { tab: wireTab(tab) }));
  tabs.onRemoved.addListener((tabId, { windowId }) => {
    event("tab_removed", { tabId, windowId, tab: { tabId, windowId } });
    resync();
  });
  tabs.onActivated.addListener(({ tabId, windowId }) => {
    void chrome.tabs.get(tabId).then(
      (tab) => event("tab_activated", { tabId, windowId, tab: wireTab(tab) }),
      () => undefined,
    );
  });
  for (const moved of [tabs.onMoved, tabs.onAttached] as { addListener(call: (tabId: number) => void): void }[]) {
    moved.addListener((tabId) => {
      void chrome.tabs.get(tabId).then((tab) => event("tab_updated", { tab: wireTab(tab) }), () => undefined);
      resync();
    });
  }
  tabs.onReplaced.addListener(resync);
  windows.onCreated.addListener((window) => event("window_created", { windowId: window.id, window: wireWindow(window) }));
  windows.onRemoved.addListener((windowId) => event("window_removed", { windowId }));
  // -1: no window of the browser has the focus.
  windows.onFocusChanged.addListener((windowId) => event("window_focused", { windowId }));
  const group = (eventType: StateEventType) => (one: chrome.tabGroups.TabGroup) => event(eventType, { groupId: one.id, tabGroup: wireGroup(one) });
  tabGroups.onCreated.addListener(group("tab_group_created"));
  tabGroups.onUpdated.addListener(group("tab_group_updated"));
  tabGroups.onRemoved.addListener(group("tab_group_removed"));
  tabGroups.onMoved.addListener((one) => {
    group("tab_group_moved")(one);
    resync();
  });
}
