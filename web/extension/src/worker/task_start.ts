/** How a task comes to a tab, and how it lets go of it. */

import { attach, detach } from "./debuggee";
import { showBadge } from "./badge";
import { gather, ungroup } from "./groups";
import { joinTask, putTask, taskOf, taskOfTab, type Task } from "./tasks";

export function taskFor(taskId: string): Task {
  return taskOf(taskId) ?? { taskId, tabs: [], closedTabs: [], title: chrome.i18n.getMessage("groupTitle"), color: "orange", status: "running", startedAt: Date.now() };
}

/** The tab joins its task: grouped, marked, and watched by the debugger where Chrome allows it. */
export async function adoptTab(task: Task, tabId: number): Promise<void> {
  await joinTask(task, tabId);
  await gather(task, [tabId]);
  await Promise.all([showBadge(tabId), attach(tabId).catch(() => undefined)]);
}

/** The task's own last tab; otherwise a free tab that shows the page; without a page the one that is looked at. */
export async function existingTab(task: Task, url: string | undefined): Promise<chrome.tabs.Tab | undefined> {
  for (const tabId of task.tabs.toReversed()) {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (tab) return tab;
  }
  const query = url === undefined ? { active: true, lastFocusedWindow: true } : {};
  const found = await chrome.tabs.query(query);
  return found.find((tab) => tab.id !== undefined && !taskOfTab(tab.id) && (url === undefined ? true : tab.url === url));
}

export async function newTab(): Promise<chrome.tabs.Tab> {
  const window = await chrome.windows.getLastFocused({ windowTypes: ["normal"] }).catch(() => undefined);
  if (window?.id !== undefined) return await chrome.tabs.create({ url: "about:blank", windowId: window.id, active: true });
  const created = await chrome.windows.create({ url: "about:blank" });
  return created!.tabs![0]!;
}

export async function releaseTabs(task: Task, isClosing: boolean): Promise<void> {
  const tabs = [...task.tabs];
  task.tabs = [];
  await putTask(task);
  await Promise.all(tabs.map((tabId) => showBadge(tabId)));
  await Promise.all(tabs.map(detach));
  if (isClosing) await chrome.tabs.remove(tabs).catch(() => undefined);
  else await ungroup(tabs);
}
