/** The coloured tab group that shows a person which tabs belong to a task. */

import type { Task } from "./tasks";
import { saveTasks } from "./tasks";

export const COLORS = ["grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"] as const;
export type Color = (typeof COLORS)[number];

/** Groups are optional: windows without a tab strip have none. */
export async function groupTabs(task: Task, tabIds: number[]): Promise<void> {
  try {
    const isThere = task.groupId !== undefined && (await chrome.tabGroups.get(task.groupId).then(() => true, () => false));
    const [first, ...others] = tabIds;
    if (first === undefined) return;
    const windowId = (await chrome.tabs.get(first)).windowId;
    const options = isThere ? { groupId: task.groupId! } : { createProperties: { windowId } };
    task.groupId = await chrome.tabs.group({ tabIds: [first, ...others], ...options });
    await labelGroup(task);
    await saveTasks();
  } catch {
    // A popup window, or a tab that has been closed.
  }
}

export async function labelGroup(task: Task): Promise<boolean> {
  if (task.groupId === undefined) return false;
  return await chrome.tabGroups.update(task.groupId, { title: task.title, color: task.color as Color }).then(() => true, () => false);
}

export async function ungroup(tabIds: number[]): Promise<void> {
  const [first, ...others] = tabIds;
  if (first !== undefined) await chrome.tabs.ungroup([first, ...others]).catch(() => undefined);
}
