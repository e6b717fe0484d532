/** The coloured group that holds a task's tabs, for the person to see at a glance. */

import type { Task } from "./tasks";
import { saveTasks } from "./tasks";

export const COLORS = ["grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"] as const;
export type Color = (typeof COLORS)[number];

/** Groups are a courtesy: windows without a tab strip have none. */
export async function gather(task: Task, tabIds: number[]): Promise<void> {
  try {
    const isThere = task.groupId !== undefined && (await chrome.tabGroups.get(task.groupId).then(() => true, () => false));
    const [first, ...others] = tabIds;
    if (first === undefined) return;
    const windowId = (await chrome.tabs.get(first)).windowId;
    const options = isThere ? { groupId: task.groupId! } : { createProperties: { windowId } };
    task.groupId = await chrome.tabs.group({ tabIds: [first, ...others], ...options });
    await label(task);
    await saveTasks();
  } catch {
    // A popup window, or a tab that was closed meanwhile.
  }
}

export async function label(task: Task): Promise<boolean> {
  if (task.groupId === undefined) return false;
  return await chrome.tabGroups.update(task.groupId, { title: task.title, color: task.color as Color }).then(() => true, () => false);
}

export async function ungroup(tabIds: number[]): Promise<void> {
  const [first, ...others] = tabIds;
  if (first !== undefined) await chrome.tabs.ungroup([first, ...others]).catch(() => undefined);
}
