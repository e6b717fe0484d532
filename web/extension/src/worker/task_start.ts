/** How a task comes to a tab, and how it lets go of it. */

import { attach, detach } from "./debuggee";
import { raiseDenied } from "./denied_pages";
import { showBadge } from "./badge";
import { Failure } from "./failure";
import { gather, ungroup } from "./groups";
import { follow, unfollow } from "./hops";
import { isOwnPage, leaveOwnPage, portsLoaded, raiseWall } from "./own_pages";
import { dropTask, isKnown, joinTask, taskOf, taskOfTab, type Task } from "./tasks";

export function taskFor(taskId: string): Task {
  return taskOf(taskId) ?? { taskId, tabs: [], closedTabs: [], title: chrome.i18n.getMessage("groupTitle"), color: "orange", status: "running", startedAt: Date.now() };
}

/** The tab joins its task: grouped, marked, and watched by the debugger where Chrome allows it. */
export async function adoptTab(task: Task, tabId: number): Promise<void> {
  if (!isKnown(task)) throw stopped();
  follow(tabId);
  await joinTask(task, tabId);
  await Promise.all([raiseWall(), raiseDenied()]);
  const now = await chrome.tabs.get(tabId).catch(() => undefined);
  if (await leaveOwnPage(tabId, now?.url)) throw new Failure("CDP_PERMISSION_DENIED", "The page opened handrail itself, which is never for a tool. The tab was closed.", { own: true });
  await gather(task, [tabId]);
  await Promise.all([showBadge(tabId), attach(tabId).catch(() => undefined)]);
  if (isKnown(task)) return;
  await ungroup([tabId].filter(isFree));
  throw stopped();
}

const stopped = (): Failure => new Failure("PLUGIN_ERROR", "The task was stopped meanwhile.", { stopped: true, hint: "task_start begins it anew." });
const isFree = (tabId: number): boolean => !taskOfTab(tabId);

/** The task's own last tab; otherwise a free tab that shows the page; without a page the one that is looked at. */
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

/** Forgotten before the first wait, and no longer debugged: whoever begins it anew meanwhile may get the same tabs. */
export async function endTask(task: Task, isClosing: boolean): Promise<void> {
  const tabs = [...task.tabs];
  task.tabs = [];
  tabs.forEach(unfollow);
  await Promise.all([dropTask(task), ...tabs.map(detach)]);
  await Promise.all(tabs.map((tabId) => showBadge(tabId)));
  const left = tabs.filter(isFree);
  if (isClosing) await chrome.tabs.remove(left).catch(() => undefined);
  else await ungroup(left);
}
