/** How a task gets a tab, and how it releases it. */

import { attach, detach } from "./debuggee";
import { blockDenied } from "./denied_pages";
import { showBadge } from "./badge";
import { Failure } from "./failure";
import { groupTabs, ungroup } from "./groups";
import { follow, unfollow } from "./hops";
import { isOwnPage, leaveOwnPage, portsLoaded, blockOwnPages } from "./own_pages";
import { dropTask, isKnown, joinTask, taskOf, taskOfTab, type Task } from "./tasks";

export function taskFor(taskId: string): Task {
  return taskOf(taskId) ?? { taskId, tabs: [], closedTabs: [], title: chrome.i18n.getMessage("groupTitle"), color: "orange", status: "running", startedAt: Date.now() };
}

/** Adds the tab to its task: grouped, marked, and watched by the debugger if Chrome allows it. */
export async function adoptTab(task: Task, tabId: number): Promise<void> {
  if (!isKnown(task)) throw stopped();
  follow(tabId);
  await joinTask(task, tabId);
  await Promise.all([blockOwnPages(), blockDenied()]);
  const now = await chrome.tabs.get(tabId).catch(() => undefined);
  if (await leaveOwnPage(tabId, now?.url)) throw new Failure("CDP_PERMISSION_DENIED", "The page opened handrail itself, which is never for a tool. The tab was closed.", { own: true });
  await groupTabs(task, [tabId]);
  await Promise.all([showBadge(tabId), attach(tabId).catch(() => undefined)]);
  if (isKnown(task)) return;
  await ungroup([tabId].filter(isFree));
  throw stopped();
}

const stopped = (): Failure => new Failure("PLUGIN_ERROR", "The task was stopped meanwhile.", { stopped: true, hint: "task_start begins it anew." });
const isFree = (tabId: number): boolean => !taskOfTab(tabId);

/** The task's own last tab; otherwise a free tab that shows the page; without a page, the active tab. */
export async function existingTab(task: Task, url: string | undefined): Promise<chrome.tabs.Tab | undefined> {
  for (const tabId of task.tabs.toReversed()) {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (tab) return tab;
  }
  const query = url === undefined ? { active: true, lastFocusedWindow: true } : {};
  const [found] = await Promise.all([chrome.tabs.query(query), portsLoaded]);
  return found.find((tab) => tab.id !== undefined && !taskOfTab(tab.id) && !isOwnPage(tab.url) && (url === undefined ? true : tab.url === url));
}

export async function newTab(): Promise<chrome.tabs.Tab> {
  const window = await chrome.windows.getLastFocused({ windowTypes: ["normal"] }).catch(() => undefined);
  if (window?.id !== undefined) return await chrome.tabs.create({ url: "about:blank", windowId: window.id, active: true });
  const created = await chrome.windows.create({ url: "about:blank" });
  return created!.tabs![0]!;
}

/**
 * Forgotten and detached before the first wait, because a task of the same id that starts in the meantime may get the
 * same tabs.
 */
export async function endTask(task: Task, isClosing: boolean): Promise<void> {
  const tabs = [...task.tabs];
  task.tabs = [];
  tabs.forEach(unfollow);
  await Promise.all([dropTask(task), ...tabs.map(detach)]);
  await Promise.all(tabs.map((tabId) => showBadge(tabId)));
  const freeTabs = tabs.filter(isFree);
  if (isClosing) await chrome.tabs.remove(freeTabs).catch(() => undefined);
  else await ungroup(freeTabs);
}
