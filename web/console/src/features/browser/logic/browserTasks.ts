/** Browser tasks, newest first, and what a person can do with each. */

import type { TaskStatus } from "../../../../../protocol";

export type { TaskStatus };

export interface BrowserTask {
  taskId: string;
  title: string;
  status: TaskStatus;
  createdAt: number;
  updatedAt: number;
  selectedClientId?: string;
  /** Archived by a person. */
  archived?: boolean;
  /** During a takeover: whether the agent may read. */
  reading?: boolean;
}

/**
 * Events may arrive later than what was read; an older state never replaces a newer one. A row keeps its place, so
 * that no click meant for it hits another.
 */
export function mergeTasks(current: readonly BrowserTask[], newer: readonly BrowserTask[]): BrowserTask[] {
  const tasks = new Map(current.map((task) => [task.taskId, task]));
  for (const task of newer) {
    const before = tasks.get(task.taskId);
    if (!before || task.updatedAt >= before.updatedAt) tasks.set(task.taskId, task);
  }
  return [...tasks.values()].sort((a, b) => b.createdAt - a.createdAt || (a.taskId < b.taskId ? 1 : -1));
}

export function lastChanged(tasks: readonly BrowserTask[]): BrowserTask | undefined {
  return [...tasks].sort((a, b) => b.updatedAt - a.updatedAt)[0];
}

export const canTakeOver = ({ status }: BrowserTask): boolean => status !== "takeover" && status !== "completed";
export const canHandBack = ({ status }: BrowserTask): boolean => status === "takeover";
export const canStop = ({ status }: BrowserTask): boolean => status !== "completed";
/** Nothing is sent to the page during a takeover without reading, or once the task is over. */
export const canLook = ({ status, reading }: BrowserTask): boolean => (status !== "takeover" || reading === true) && status !== "completed";
