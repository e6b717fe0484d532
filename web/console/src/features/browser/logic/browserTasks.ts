/** The tasks of the browser: the newest first, and what a person can do with each. */

import type { TaskStatus } from "../../../../../protocol";

export type { TaskStatus };

export interface BrowserTask {
  taskId: string;
  title: string;
  status: TaskStatus;
  createdAt: number;
  updatedAt: number;
  selectedClientId?: string;
  /** A person has put it away. */
  archived?: boolean;
  /** While a person has taken it over: whether the agent may read meanwhile. */
  reading?: boolean;
}

/**
 * News may come later than what was read meanwhile; an older state never replaces a newer one.
 * A row keeps its place whatever happens in its task, so that no click meant for it hits another.
 */
export function mergeTasks(known: readonly BrowserTask[], told: readonly BrowserTask[]): BrowserTask[] {
  const tasks = new Map(known.map((task) => [task.taskId, task]));
  for (const task of told) {
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
/** While a person has it and keeps it to themselves, or once it is over, nothing is sent to the page. */
export const canLook = ({ status, reading }: BrowserTask): boolean => (status !== "takeover" || reading === true) && status !== "completed";
