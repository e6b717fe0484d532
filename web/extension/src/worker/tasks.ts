/** The tasks of this browser: which tabs belong to which, and who has the wheel. Survives the worker. */

import type { TakeoverReason } from "../protocol";
import { Failure } from "./failure";

export interface Task {
  taskId: string;
  tabs: number[];
  closedTabs: number[];
  groupId?: number;
  title: string;
  color: string;
  status: "running" | "takeover";
  reason?: TakeoverReason;
  /** The server knows of the takeover: whatever it sends from then on, it sends because it was handed back. */
  isTakeoverKnown?: boolean;
  startedAt: number;
}

/** Numbers of elements and frames that were given in a tab, so that none is given twice. */
export interface TabNumbers { next: number; frames: Record<number, number>; nextFrame: number }

const tasks = new Map<string, Task>();
const numbers = new Map<number, TabNumbers>();
const watchers = new Set<() => void>();

export const tasksLoaded = load();

async function load(): Promise<void> {
  const stored = await chrome.storage.session.get<{ tasks?: Task[]; numbers?: [number, TabNumbers][] }>(["tasks", "numbers"]);
  for (const task of stored.tasks ?? []) tasks.set(task.taskId, task);
  for (const [tabId, given] of stored.numbers ?? []) numbers.set(tabId, given);
}

export function onTasksChanged(call: () => void): void {
  watchers.add(call);
}

export async function saveTasks(): Promise<void> {
  for (const call of watchers) call();
  await chrome.storage.session.set({ tasks: [...tasks.values()] });
}

export const allTasks = (): Task[] => [...tasks.values()];
export const taskOf = (taskId: string): Task | undefined => tasks.get(taskId);
/** Not stopped meanwhile, nor begun anew. */
export const isKnown = (task: Task): boolean => tasks.get(task.taskId) === task;
export const taskOfTab = (tabId: number): Task | undefined => allTasks().find((task) => task.tabs.includes(tabId));

export async function putTask(task: Task): Promise<void> {
  tasks.set(task.taskId, task);
  await saveTasks();
}

/** At once: a task of the same id that is begun meanwhile is another one. */
export async function dropTask(task: Task): Promise<void> {
  if (isKnown(task)) tasks.delete(task.taskId);
  await saveTasks();
}

export async function joinTask(task: Task, tabId: number): Promise<void> {
  if (!task.tabs.includes(tabId)) task.tabs.push(tabId);
  await saveTasks();
}

export async function tabClosed(tabId: number): Promise<void> {
  numbers.delete(tabId);
  const task = taskOfTab(tabId);
  if (!task) return;
  task.tabs = task.tabs.filter((one) => one !== tabId);
  task.closedTabs = [...task.closedTabs, tabId].slice(-100);
  await saveTasks();
}

/** Never a tab of the person's or of another task. One that was closed a moment ago is found out by who uses it. */
export function checkOwn(taskId: string, tabId: number): void {
  const task = tasks.get(taskId);
  if (task?.closedTabs.includes(tabId)) throw new Failure("TASK_TAB_CLOSED", `Tab ${tabId} of this task was closed.`, { hint: "Open another one with browser_tab_open." });
  if (!task?.tabs.includes(tabId)) {
    const hint = task?.tabs.length ? `Tabs of this task: ${task.tabs.join(", ")}.` : "Begin with task_start.";
    throw new Failure("INVALID_TASK_TAB", `Tab ${tabId} does not belong to this task.`, { hint });
  }
}

/** The task's own tab, alive. */
export async function ownTab(taskId: string, tabId: number): Promise<chrome.tabs.Tab> {
  checkOwn(taskId, tabId);
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab) return tab;
  await tabClosed(tabId);
  throw new Failure("TASK_TAB_CLOSED", `Tab ${tabId} of this task was closed.`);
}

export function numbersOf(tabId: number): TabNumbers {
  let given = numbers.get(tabId);
  if (!given) numbers.set(tabId, (given = { next: 1, frames: {}, nextFrame: 1 }));
  return given;
}

/** Saved before the numbers leave for the agent. */
export async function raiseNumbers(tabId: number, next: number): Promise<void> {
  const given = numbersOf(tabId);
  if (next <= given.next) return;
  given.next = next;
  await saveNumbers();
}

export async function saveNumbers(): Promise<void> {
  await chrome.storage.session.set({ numbers: [...numbers] });
}
