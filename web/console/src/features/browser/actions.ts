/** What happens around browsers: reading, following, a person's hand on a task, pairing. The only writer of its store. */

import type { FrontendEvent } from "../../shell/events";
import { deleteAt, fetchData, HostError, postJson, type connect } from "@handrail/host";
import { lastChanged, mergeTasks, type BrowserTask } from "./logic/browserTasks";
import type { Plugin } from "./logic/plugins";
import type { Sight } from "./logic/sight";
import { afterReconnect, takeRead, takeSync, type Snapshot, type SnapshotSync } from "./logic/windows";
import { preferences } from "../../preferences";
import { announcement, texts } from "../../store";
import { pair, probe, type Paired } from "./bridge";
import { arePluginsLoaded, chosenBrowser, chosenTask, found, olderThan, plugins, shownBrowser, shownTask, sight, snapshots, tasks } from "./store";

type Socket = ReturnType<typeof connect>;

interface Browsing {
  plugins?: Plugin[];
  tasks: BrowserTask[];
  /** Whose windows have changed. */
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

/** An extension that may connect with a token of its own. */
export interface Pairing {
  clientId: string;
  name: string;
  createdAt: number;
  socketConnected: boolean;
  /** handrail has started it itself, so its window proves nothing. */
  isLaunched?: boolean;
  /** Its window may confirm what reaches far. */
  isEnrolled?: boolean;
}

const TASKS = 200;
const DRAWN = /browser_screenshot|browser_dom_index/;
/** What a page takes a picture of by itself needs no other. */
const TAKES_PICTURES = /browser_screenshot/;
let liveTab: (() => number | undefined) | null = null;
let isTaking = false;
let isWantedAgain = false;
let socket: Socket | null = null;
let followed: string | undefined;

export function follow(line: Socket): void {
  socket = line;
  line.on("browsing", (told: Browsing) => {
    if (told.plugins) plugins.value = told.plugins;
    if (told.tasks.length) tasks.value = mergeTasks(tasks.value, told.tasks);
    const shown = shownBrowser.value;
    // Of the others than the selected one, contract 2 tells no snapshots.
    if (shown && !shown.selected && told.windows.includes(shown.clientId)) void readSnapshot(shown.clientId);
    followShown();
  });
  line.on("frontend_event", ({ taskId, event }: TaskEvent) => {
    if (event.type === "snapshotSync") snapshots.value = takeSync(snapshots.value, event);
    else if (event.type === "toolUsed" && event.status !== "running" && taskId === shownTask.value?.taskId) {
      if (DRAWN.test(event.name)) void readSight(taskId);
      if (/^browser_|^task_start$/.test(event.name) && !TAKES_PICTURES.test(event.name)) void takeLive(taskId);
    }
  });
}

/** The next page of the list, from where the last one ended. */
export async function loadOlderTasks(): Promise<void> {
  const before = olderThan.value;
  if (before === undefined) return;
  const page = await fetchData<BrowserTask[]>(`/api/task/list?limit=${TASKS}&before=${encodeURIComponent(before)}`);
  takeTasks(page);
  olderThan.value = page.length < TASKS ? undefined : page.at(-1)?.taskId;
}

export function takeTasks(found: readonly BrowserTask[]): void {
  tasks.value = mergeTasks(tasks.value, found);
}

/** After every connect; news may have been missed. */
export async function reloadBrowsers(): Promise<void> {
  snapshots.value = afterReconnect(snapshots.value);
  followed = undefined;
  const [known, listed] = await Promise.all([
    fetchData<Plugin[]>("/api/extension/extension-list"),
    fetchData<BrowserTask[]>(`/api/task/list?limit=${TASKS}`),
    readSnapshot(),
  ]);
  plugins.value = known;
  // A page that is not full is all there is; beyond a full one, what was read before is kept.
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

/** What happens in the shown task is told to who has asked for it. It stays the shown one, whatever else begins. */
function followShown(): void {
  if (!shownTask.value) chosenTask.value = lastChanged(tasks.value)?.taskId;
  const shown = shownTask.value?.taskId;
  if (shown === followed) return;
  followed = shown;
  if (shown === undefined) {
    sight.value = null;
    return;
  }
  socket?.emit("frontend_message", { v: 1, type: "subscribe", taskId: shown });
  void readSight(shown);
}

async function readSight(taskId: string): Promise<void> {
  if (sight.value?.taskId !== taskId) sight.value = null;
  try {
    const seen = await fetchData<Sight>(`/api/browser/view?taskId=${encodeURIComponent(taskId)}`);
    if (shownTask.value?.taskId === taskId) sight.value = seen;
  } catch (error) {
    // Without a picture the page still tells the rest; the next change is asked for again.
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
/** Counts until the task is handed back. */
export async function letRead(taskId: string, allowed: boolean): Promise<void> {
  const task = await postJson<BrowserTask>(`/api/task/${encodeURIComponent(taskId)}/reading`, { allowed });
  tasks.value = mergeTasks(tasks.value, [task]);
  announcement.value = allowed ? texts.value.browser.readingTold : texts.value.browser.notReadingTold;
}

export const stopTask = (taskId: string): Promise<void> => change(taskId, "stop");

/** The task goes on in another browser; what an agent has open in the one before is no longer its. */
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

/** While a page looks, a new picture is taken after each action of the shown task. Tells how to stop. */
export function watchLive(tab: () => number | undefined): () => void {
  liveTab = tab;
  return () => { liveTab = null; };
}

/** One at a time; what happens meanwhile is seen by one more. The picture is for the page, and no step of the task. */
async function takeLive(taskId: string): Promise<void> {
  const tabId = liveTab?.();
  if (tabId === undefined || !preferences.value.isLive || document.visibilityState === "hidden") return;
  if (isTaking) return void (isWantedAgain = true);
  isTaking = true;
  // Without a picture (the tab was closed meanwhile, say) the last one stays, and says that it is of the past.
  await postJson("/api/browser/act", { taskId, actions: { browser_screenshot: { tabId } } }).catch(() => undefined);
  await readSight(taskId);
  isTaking = false;
  if (isWantedAgain) {
    isWantedAgain = false;
    await takeLive(taskId);
  }
}

/** A fresh picture of the task's tab, and the index first: both then show the same. */
export async function look(taskId: string, tabId: number): Promise<void> {
  const act = (actions: object): Promise<unknown> => postJson("/api/browser/act", { taskId, actions });
  await act({ browser_dom_index: { tabId, scope: "viewport", boxes: true } });
  await act({ browser_screenshot: { tabId } });
  await readSight(taskId);
}

export async function lookForExtension(): Promise<void> {
  found.value = await probe();
}

export const newPairCode = (): Promise<PairCode> => postJson<PairCode>("/api/extension/pair-code", {});

/** One click: a code is made and handed to the extension in this browser. Null: it gave no answer. */
export async function pairHere(): Promise<Paired | null> {
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
