/** Reads and follows browsers, controls tasks, pairs extensions. The only writer of its store. */

import type { FrontendEvent } from "../../shell/events";
import { deleteAt, fetchData, HostError, postJson, type connect } from "@handrail/host";
import { lastChanged, mergeTasks, type BrowserTask } from "./logic/browserTasks";
import type { Plugin } from "./logic/plugins";
import type { TaskPageView } from "./logic/pageView";
import { afterReconnect, takeRead, takeSync, type Snapshot, type SnapshotSync } from "./logic/windows";
import { preferences } from "../../preferences";
import { announcement, texts } from "../../store";
import { pair, probe, type PairResult } from "./bridge";
import { arePluginsLoaded, chosenBrowser, chosenTask, extension, olderThan, plugins, shownBrowser, shownTask, lastView, snapshots, tasks } from "./store";

type Socket = ReturnType<typeof connect>;

interface Browsing {
  plugins?: Plugin[];
  tasks: BrowserTask[];
  /** The browsers whose windows have changed. */
  windows: string[];
}

interface TaskEvent {
  taskId: string;
  event: FrontendEvent<"snapshotSync"> & SnapshotSync | FrontendEvent<"toolUsed"> & { name: string; status: string } | FrontendEvent<"chatDelta" | "runStatus" | "structuredOutput" | "taskStatus">;
}

export interface PairCode {
  code: string;
  expiresAt: number;
}

/** An extension that may connect with its own token. */
export interface Pairing {
  clientId: string;
  name: string;
  createdAt: number;
  socketConnected: boolean;
  /** Launched by handrail itself, so its window proves nothing. */
  isLaunched?: boolean;
  /** Its window may confirm far-reaching approvals. */
  isEnrolled?: boolean;
}

const TASKS = 200;
const DRAWN = /browser_screenshot|browser_dom_index/;
/** The page doesn't need to add a screenshot to an action that takes one itself. */
const TAKES_PICTURES = /browser_screenshot/;
let liveTab: (() => number | undefined) | null = null;
let isTaking = false;
let isWantedAgain = false;
let socket: Socket | null = null;
let followed: string | undefined;

export function follow(line: Socket): void {
  socket = line;
  line.on("browsing", (event: Browsing) => {
    if (event.plugins) plugins.value = event.plugins;
    if (event.tasks.length) tasks.value = mergeTasks(tasks.value, event.tasks);
    const shown = shownBrowser.value;
    // Contract 2 sends snapshots of the selected browser only.
    if (shown && !shown.selected && event.windows.includes(shown.clientId)) void readSnapshot(shown.clientId);
    followShown();
  });
  line.on("frontend_event", ({ taskId, event }: TaskEvent) => {
    if (event.type === "snapshotSync") snapshots.value = takeSync(snapshots.value, event);
    else if (event.type === "toolUsed" && event.status !== "running" && taskId === shownTask.value?.taskId) {
      if (DRAWN.test(event.name)) void readView(taskId);
      if (/^browser_|^task_start$/.test(event.name) && !TAKES_PICTURES.test(event.name)) void takeLive(taskId);
    }
  });
}

/** The next page of the list. */
export async function loadOlderTasks(): Promise<void> {
  const before = olderThan.value;
  if (before === undefined) return;
  const page = await fetchData<BrowserTask[]>(`/api/task/list?limit=${TASKS}&before=${encodeURIComponent(before)}`);
  takeTasks(page);
  olderThan.value = page.length < TASKS ? undefined : page.at(-1)?.taskId;
}

export function takeTasks(newer: readonly BrowserTask[]): void {
  tasks.value = mergeTasks(tasks.value, newer);
}

/** After every connect, because events may have been missed. */
export async function reloadBrowsers(): Promise<void> {
  snapshots.value = afterReconnect(snapshots.value);
  followed = undefined;
  const [known, listed] = await Promise.all([
    fetchData<Plugin[]>("/api/extension/extension-list"),
    fetchData<BrowserTask[]>(`/api/task/list?limit=${TASKS}`),
    readSnapshot(),
  ]);
  plugins.value = known;
  // A page that isn't full is everything; beyond a full one, tasks that were read before are kept.
  tasks.value = mergeTasks(listed.length < TASKS ? [] : tasks.value, listed);
  if (listed.length < TASKS) olderThan.value = undefined;
  else olderThan.value ??= listed.at(-1)?.taskId;
  arePluginsLoaded.value = true;
  const shown = shownBrowser.value;
  if (shown && !shown.selected) void readSnapshot(shown.clientId);
  followShown();
}

async function readSnapshot(clientId?: string): Promise<void> {
  const query = clientId === undefined ? "" : `?clientId=${encodeURIComponent(clientId)}`;
  snapshots.value = takeRead(snapshots.value, await fetchData<Snapshot>(`/api/snapshot${query}`));
}

/** Events of a task are sent to pages that subscribe to it. The shown task stays the same, whatever else starts. */
function followShown(): void {
  if (!shownTask.value) chosenTask.value = lastChanged(tasks.value)?.taskId;
  const shown = shownTask.value?.taskId;
  if (shown === followed) return;
  followed = shown;
  if (shown === undefined) {
    lastView.value = null;
    return;
  }
  socket?.emit("frontend_message", { v: 1, type: "subscribe", taskId: shown });
  void readView(shown);
}

async function readView(taskId: string): Promise<void> {
  if (lastView.value?.taskId !== taskId) lastView.value = null;
  try {
    const view = await fetchData<TaskPageView>(`/api/browser/view?taskId=${encodeURIComponent(taskId)}`);
    if (shownTask.value?.taskId === taskId) lastView.value = view;
  } catch (error) {
    // Without a picture the page still works; the next change asks again.
    if (!(error instanceof HostError)) throw error;
  }
}

export function chooseTask(taskId: string): void {
  chosenTask.value = taskId;
  followShown();
}

export function chooseBrowser(clientId: string): void {
  chosenBrowser.value = clientId;
  void readSnapshot(clientId);
}

async function change(taskId: string, verb: "takeover" | "handback" | "stop"): Promise<void> {
  const task = await postJson<BrowserTask>(`/api/task/${encodeURIComponent(taskId)}/${verb}`, {});
  tasks.value = mergeTasks(tasks.value, [task]);
  announcement.value = texts.value.browser.told[verb];
}

export const takeOver = (taskId: string): Promise<void> => change(taskId, "takeover");
export const handBack = (taskId: string): Promise<void> => change(taskId, "handback");
/** Applies until the task is handed back. */
export async function letRead(taskId: string, allowed: boolean): Promise<void> {
  const task = await postJson<BrowserTask>(`/api/task/${encodeURIComponent(taskId)}/reading`, { allowed });
  tasks.value = mergeTasks(tasks.value, [task]);
  announcement.value = allowed ? texts.value.browser.readingTold : texts.value.browser.notReadingTold;
}

export const stopTask = (taskId: string): Promise<void> => change(taskId, "stop");

/** The task continues in another browser; the agent loses its tabs in the previous one. */
export async function moveTask(taskId: string, clientId: string): Promise<void> {
  const task = await postJson<BrowserTask>(`/api/task/${encodeURIComponent(taskId)}/plugin`, { clientId });
  tasks.value = mergeTasks(tasks.value, [task]);
  announcement.value = texts.value.browser.moved;
}

export async function useForNewTasks(clientId: string): Promise<void> {
  await postJson<Plugin>("/api/extension/chosen", { clientId });
  plugins.value = await fetchData<Plugin[]>("/api/extension/extension-list");
  announcement.value = texts.value.browser.chosen;
}

/** While the page is open, takes a picture after each action of the shown task. Returns a function that stops it. */
export function watchLive(tab: () => number | undefined): () => void {
  liveTab = tab;
  return () => { liveTab = null; };
}

/**
 * One at a time; another one follows if something happened in the meantime. The picture is for the page only and not a
 * step of the task.
 */
async function takeLive(taskId: string): Promise<void> {
  const tabId = liveTab?.();
  if (tabId === undefined || !preferences.value.isLive || document.visibilityState === "hidden") return;
  if (isTaking) return void (isWantedAgain = true);
  isTaking = true;
  // Without a new picture (the tab may have been closed), the last one stays and is marked as outdated.
  await postJson("/api/browser/act", { taskId, actions: { browser_screenshot: { tabId } } }).catch(() => undefined);
  await readView(taskId);
  isTaking = false;
  if (isWantedAgain) {
    isWantedAgain = false;
    await takeLive(taskId);
  }
}

/** Takes a new picture of the task's tab, after the index, so that both show the same state. */
export async function look(taskId: string, tabId: number): Promise<void> {
  const act = (actions: object): Promise<unknown> => postJson("/api/browser/act", { taskId, actions });
  await act({ browser_dom_index: { tabId, scope: "viewport", boxes: true } });
  await act({ browser_screenshot: { tabId } });
  await readView(taskId);
}

export async function lookForExtension(): Promise<void> {
  extension.value = await probe();
}

export const newPairCode = (): Promise<PairCode> => postJson<PairCode>("/api/extension/pair-code", {});

/** Creates a code and hands it to the extension in this browser. Null if it didn't answer. */
export async function pairHere(): Promise<PairResult | null> {
  const { code } = await newPairCode();
  const paired = await pair(code, location.origin);
  if (paired?.ok) announcement.value = texts.value.browser.paired;
  void lookForExtension();
  return paired;
}

export const readPairings = (): Promise<Pairing[]> => fetchData<Pairing[]>("/api/extension/tokens");

export async function enrollBrowser(clientId: string, presence?: object): Promise<Pairing[]> {
  await postJson<unknown>("/api/extension/enrolled", { clientId, ...(presence ? { presence } : {}) });
  return await readPairings();
}

export async function withdrawBrowser(clientId: string): Promise<Pairing[]> {
  await deleteAt<unknown>(`/api/extension/enrolled/${encodeURIComponent(clientId)}`);
  return await readPairings();
}

export async function revokePairing(clientId: string): Promise<Pairing[]> {
  await deleteAt<unknown>(`/api/extension/tokens/${encodeURIComponent(clientId)}`);
  return await readPairings();
}
