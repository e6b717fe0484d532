/** The tasks of this browser: which tabs belong to them, and who is in control. Survives the worker. */

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
  /** The server knows of the takeover; if it sends another action after that, the task was handed back. */
  isTakeoverKnown?: boolean;
  /** The person lets the agent read during the takeover. */
  isRead?: boolean;
  startedAt: number;
  /** Addresses that its tabs must not request, as regular expressions. */
  denied?: string[];
}

/** The next numbers for a task's elements and frames, so that none is used twice in any of its tabs. */
interface Numbering { next: number; nextFrame: number }
const MOST_GIVEN = 100;

const tasks = new Map<string, Task>();
const numberings = new Map<string, Numbering>();
/** The frame numbers of each tab. */
const frames = new Map<number, Record<number, number>>();
const watchers = new Set<() => void>();

export const tasksLoaded = load();

async function load(): Promise<void> {
  const stored = await chrome.storage.session.get<{ tasks?: Task[]; given?: [string, Numbering][]; frames?: [number, Record<number, number>][] }>(["tasks", "given", "frames"]);
  for (const task of stored.tasks ?? []) tasks.set(task.taskId, task);
  for (const [taskId, numbers] of stored.given ?? []) numberings.set(taskId, numbers);
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
/** Whether it is still this task, neither stopped nor started again. */
export const isKnown = (task: Task): boolean => tasks.get(task.taskId) === task;
export const taskOfTab = (tabId: number): Task | undefined => allTasks().find((task) => task.tabs.includes(tabId));

export async function putTask(task: Task): Promise<void> {
  tasks.set(task.taskId, task);
  await saveTasks();
}

/** Removed at once: a task of the same id that starts in the meantime is another one. */
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

/** Never a tab of the person or of another task. A tab that was closed a moment ago is noticed when it is used. */
export function checkOwn(taskId: string, tabId: number): void {
  const task = tasks.get(taskId);
  if (task?.closedTabs.includes(tabId)) throw new Failure("TASK_TAB_CLOSED", `Tab ${tabId} of this task was closed.`, { hint: "Open another one with browser_tab_open." });
  if (!task?.tabs.includes(tabId)) {
    const hint = task?.tabs.length ? `Tabs of this task: ${task.tabs.join(", ")}.` : "Begin with task_start.";
    throw new Failure("INVALID_TASK_TAB", `Tab ${tabId} does not belong to this task.`, { hint });
  }
}

/** The task's own open tab. */
export async function ownTab(taskId: string, tabId: number): Promise<chrome.tabs.Tab> {
  checkOwn(taskId, tabId);
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab) return tab;
  await tabClosed(tabId);
  throw new Failure("TASK_TAB_CLOSED", `Tab ${tabId} of this task was closed.`);
}

function numberingOf(tabId: number): [string, Numbering] {
  const series = taskOfTab(tabId)?.taskId ?? "";
  let numbers = numberings.get(series);
  if (!numbers) {
    numberings.set(series, (numbers = { next: 1, nextFrame: 1 }));
    if (numberings.size > MOST_GIVEN) numberings.delete(numberings.keys().next().value!);
  }
  return [series, numbers];
}

/** What a page needs to number its elements: the first free number of its task. */
export function floorOf(tabId: number): Floor {
  const [series, { next }] = numberingOf(tabId);
  return { series, next };
}

/** Stored before the numbers are sent to the agent. */
export async function raiseNumbers(tabId: number, next: number): Promise<void> {
  const [, numbers] = numberingOf(tabId);
  if (next <= numbers.next) return;
  numbers.next = next;
  await saveNumbers();
}

export function frameNumber(tabId: number, frameId: number): number {
  const numbers = frames.get(tabId) ?? {};
  frames.set(tabId, numbers);
  if (numbers[frameId] === undefined) {
    numbers[frameId] = numberingOf(tabId)[1].nextFrame++;
    void saveNumbers();
  }
  return numbers[frameId];
}

export function frameWith(tabId: number, number: number): number | undefined {
  const entry = Object.entries(frames.get(tabId) ?? {}).find(([, one]) => one === number)?.[0];
  return entry === undefined ? undefined : Number(entry);
}

async function saveNumbers(): Promise<void> {
  await chrome.storage.session.set({ given: [...numberings], frames: [...frames] });
}
