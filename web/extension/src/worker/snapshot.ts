/** Chrome's tabs, windows and groups in the contract's format. */

import type { FullState, Tab, TabGroup, Window } from "../protocol";
import { allTasks, tasksLoaded } from "./tasks";

/** Leaves out undefined members: a member is absent or has a value. */
function withoutUndefined<T extends object>(entry: T): T {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as T;
}

export function wireTab(tab: chrome.tabs.Tab): Tab {
  return withoutUndefined({
    tabId: tab.id ?? -1,
    windowId: tab.windowId,
    groupId: tab.groupId >= 0 ? tab.groupId : undefined,
    url: tab.url || tab.pendingUrl,
    title: tab.title,
    // An inlined icon can be larger than everything else together.
    favIconUrl: tab.favIconUrl && tab.favIconUrl.length < 2048 ? tab.favIconUrl : undefined,
    status: tab.status,
    active: tab.active,
    pinned: tab.pinned,
    hidden: !tab.active,
    index: tab.index,
    openerTabId: tab.openerTabId,
  } as Tab);
}

export function wireWindow(window: chrome.windows.Window): Window {
  const { focused, top, left, width, height, type } = window;
  return withoutUndefined({ windowId: window.id ?? -1, focused, top, left, width, height, type: type ?? "normal" } as Window);
}

export function wireGroup(group: chrome.tabGroups.TabGroup): TabGroup {
  const { id, collapsed, color, title, windowId } = group;
  return withoutUndefined({ id, collapsed, color, title, windowId } as TabGroup);
}

export async function fullState(): Promise<FullState> {
  const [windows, tabs, groups] = await Promise.all([chrome.windows.getAll(), chrome.tabs.query({}), chrome.tabGroups.query({}), tasksLoaded]);
  const focused = windows.find((one) => one.focused) ?? windows[0];
  const active = tabs.find((one) => one.active && one.windowId === focused?.id);
  return {
    windows: windows.map(wireWindow),
    tabs: tabs.map(wireTab),
    tabGroups: groups.map(wireGroup),
    activeWindowId: focused?.id ?? null,
    activeTabId: active?.id ?? null,
    tasks: allTasks().map(({ taskId, status, tabs: tabIds }) => ({ taskId, status, tabIds })),
  };
}
