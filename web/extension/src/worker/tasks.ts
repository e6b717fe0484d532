/** The tasks of this browser: which tabs belong to which, and who has the wheel. Survives the worker. */

import type { Floor } from "../page/api";
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
  /** The server knows of the takeover: what it sends from then on that acts, it sends because it was handed back. */
  isTakeoverKnown?: boolean;
  /** The person lets the agent read meanwhile. */
  isRead?: boolean;
  startedAt: number;
  /** Addresses that its tabs must not ask for, as regular expressions. */
  denied?: string[];
}

/** Numbers of elements and frames that were given in a task, so that none is given twice, in none of its tabs. */
interface Given { next: number; nextFrame: number }
const MOST_GIVEN = 100;

const tasks = new Map<string, Task>();
const given = new Map<string, Given>();
/** Of each tab, its frames' numbers. */
const frames = new Map<number, Record<number, number>>();
const watchers = new Set<() => void>();

export const tasksLoaded = load();

async function load(): Promise<void> {
  const stored = await chrome.storage.session.get<{ tasks?: Task[]; given?: [string, Given][]; frames?: [number, Record<number, number>][] }>(["tasks", "given", "frames"]);
  for (const task of stored.tasks ?? []) tasks.set(task.taskId, task);
  for (const [taskId, numbers] of stored.given ?? []) given.set(taskId, numbers);
  for (const [tabId, numbers] of stored.frames ?? []) frames.set(tabId, numbers);
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
  frames.delete(tabId);
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

function givenIn(tabId: number): [string, Given] {
  const series = taskOfTab(tabId)?.taskId ?? "";
  let numbers = given.get(series);
  if (!numbers) {
    given.set(series, (numbers = { next: 1, nextFrame: 1 }));
    if (given.size > MOST_GIVEN) given.delete(given.keys().next().value!);
  }
  return [series, numbers];
}

/** What a page needs to number its elements: the first free number of its task. */
export function floorOf(tabId: number): Floor {
  const [series, { next }] = givenIn(tabId);
  return { series, next };
}

/** Saved before the numbers leave for the agent. */
export async function raiseNumbers(tabId: number, next: number): Promise<void> {
  const [, numbers] = givenIn(tabId);
  if (next <= numbers.next) return;
  numbers.next = next;
  await saveNumbers();
}

export function frameNumber(tabId: number, frameId: number): number {
  const known = frames.get(tabId) ?? {};
  frames.set(tabId, known);
  if (known[frameId] === undefined) {
    known[frameId] = givenIn(tabId)[1].nextFrame++;
    void saveNumbers();
  }
  return known[frameId];
}

export function frameWith(tabId: number, number: number): number | undefined {
  const found = Object.entries(frames.get(tabId) ?? {}).find(([, one]) => one === number)?.[0];
  return found === undefined ? undefined : Number(found);
}

async function saveNumbers(): Promise<void> {
  await chrome.storage.session.set({ given: [...given], frames: [...frames] });
}
