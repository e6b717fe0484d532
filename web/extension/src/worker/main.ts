/**
 * The worker: wires everything together. Listeners are registered before anything is awaited; otherwise their events
 * would be lost.
 */

import { refreshToolbar, showBadge } from "./badge";
import { answerBridge } from "./bridge";
import { Confirmations } from "./confirmations";
import { Connection } from "./connection";
import { attach, onDetached, watchDebugger } from "./debuggee";
import { watchDenied } from "./denied_pages";
import { watchDepartures } from "./departures";
import { watchDrags } from "./dragging";
import { failureOf } from "./failure";
import { watchHops } from "./hops";
import { Inbox } from "./inbox";
import { forgetFrames } from "./indexing";
import { type Done, type InnerMessage, isFromPage, isFromUi, type PageMessage, type UiMessage } from "./messages";
import { watchNavigation } from "./navigation";
import { dropLog, observeTabs } from "./observation";
import { ownInput } from "./own_input";
import { watchOwnPages } from "./own_pages";
import { installPage } from "./page";
import { pair } from "./pairing";
import { clearRequest, pendingRequest, windowClosed } from "./pair_requests";
import { watchPermissions } from "./permission_prompts";
import { clientId, savePairing } from "./settings";
import { watchBrowser } from "./tab_events";
import { Takeover } from "./takeover";
import { adoptTab } from "./task_start";
import { allTasks, onTasksChanged, tabClosed, taskOf, taskOfTab, tasksLoaded } from "./tasks";
import { watchTypingListeners } from "./typing_listeners";
import { publish } from "./view";
import { watchWorlds } from "./worlds";

const ALARM = "wake";

let showing: Promise<void> | undefined;
let isShownStale = false;

const connection: Connection = new Connection({
  changed: () => void show(),
  connected: () => void tasksLoaded.then(() => takeover.remind()).then(() => inbox.catchUp()),
  message: (message) => inbox.receive(message),
});
const emit = (message: Record<string, unknown>): Promise<void> => connection.emit(message);
const takeover = new Takeover(emit);
const confirmations = new Confirmations(emit);
const inbox = new Inbox(emit, takeover, confirmations);

watchDebugger();
observeTabs();
watchWorlds();
watchDepartures();
watchTypingListeners();
watchPermissions();
watchBrowser({ event: (type, what) => connection.event(type, what), resync: () => connection.resync() });
watchNavigation(adoptNewTab, prepareFrame);
watchHops();
watchOwnPages();
watchDenied();
watchDrags();
onTasksChanged(() => {
  void show();
  connection.resync();
});
onDetached((tabId, reason) => {
  const task = taskOfTab(tabId);
  if (task && reason === "canceled_by_user") void takeover.takeOver(task, "user_input");
});
chrome.tabs.onRemoved.addListener((tabId) => {
  dropLog(tabId);
  forgetFrames(tabId);
  void tasksLoaded.then(() => tabClosed(tabId));
});
chrome.windows.onRemoved.addListener((windowId) => {
  void windowClosed(windowId).then((isOver) => (isOver ? show() : undefined));
  void confirmations.windowClosed(windowId);
});
chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === ALARM) void connection.wake();
});
chrome.runtime.onInstalled.addListener(() => void reachOpenPages());
chrome.runtime.onStartup.addListener(() => void connection.wake());
chrome.storage.local.onChanged.addListener(({ pairing }) => {
  if (pairing) void connection.wake();
});
chrome.runtime.onMessage.addListener((message: InnerMessage, sender, answer) => {
  void handleMessage(message, sender).then(answer, (error: unknown) => answer({ ok: false, message: failureOf(error).message }));
  return true;
});

void start();

async function start(): Promise<void> {
  await chrome.alarms.create(ALARM, { periodInMinutes: 0.5 });
  await tasksLoaded;
  // The attachments outlived the last worker; attaching again lets this one receive dialogs.
  for (const tabId of allTasks().flatMap((task) => (task.status === "running" ? task.tabs : []))) void attach(tabId).catch(() => undefined);
  await connection.wake();
  await show();
}

/** One at a time, and again if requested in the meantime: an older view never overwrites a newer one. */
async function show(): Promise<void> {
  isShownStale = true;
  showing ??= (async () => {
    while (isShownStale) {
      isShownStale = false;
      await showNow();
    }
  })().finally(() => (showing = undefined));
  await showing;
}

async function showNow(): Promise<void> {
  const { state, server, problem } = connection;
  const tasks = allTasks()
    .filter((task) => task.tabs.length)
    .map(({ taskId, title, color, status, tabs }) => ({ taskId, title, color, status, tabId: tabs.at(-1) ?? null, tabs: tabs.length }));
  const pairRequest = await pendingRequest();
  await publish({ connection: state, server, clientId: await clientId(), tasks, pairRequest, problem });
  await refreshToolbar(state === "connected", state !== "unpaired", pairRequest !== null);
}

/** A tab that was opened by a page of a task belongs to the task. */
function adoptNewTab(sourceTabId: number, tabId: number): void {
  void tasksLoaded.then(() => {
    const task = taskOfTab(sourceTabId);
    if (task) return adoptTab(task, tabId).catch(() => undefined); // stopped in the meantime
  });
}

/** Pages of tasks are watched from the start, so that a person's input is noticed before the agent's next action. */
function prepareFrame(tabId: number, frameId: number): void {
  void tasksLoaded.then(async () => {
    if (!taskOfTab(tabId)) return;
    await installPage(tabId, frameId);
    if (frameId === 0) await showBadge(tabId);
  });
}

async function handleMessage(message: InnerMessage, sender: chrome.runtime.MessageSender): Promise<unknown> {
  if (message.type === "ui/answer_confirm" && isFromUi(sender)) return await confirmations.answer(sender, message.confirmId, message.answer).then(() => ({ ok: true }));
  if (message.type.startsWith("ui/") && isFromUi(sender)) return await handleUiMessage(message as UiMessage);
  if (message.type.startsWith("bridge/") && isFromPage(sender)) return await answerBridge(message as Parameters<typeof answerBridge>[0], sender.origin ?? "", connection, show);
  if (message.type.startsWith("page/") && isFromPage(sender)) return await handlePageMessage(message as PageMessage, sender.tab!.id!);
  return { ok: false, message: "refused" };
}

async function handlePageMessage(message: PageMessage, tabId: number): Promise<unknown> {
  if (message.type === "page/pause") {
    await new Promise((resolve) => setTimeout(resolve, Math.min(message.ms, 1000)));
    return { ok: true };
  }
  await tasksLoaded;
  const task = taskOfTab(tabId);
  if (!task) return { ok: false, message: "no task" };
  if (message.type === "page/stop") await takeover.stop(task);
  else if (!ownInput.isOwn(tabId, message.seen)) await takeover.takeOver(task, "user_input");
  return { ok: true };
}

async function handleUiMessage(message: UiMessage): Promise<Done> {
  await tasksLoaded;
  const task = "taskId" in message ? taskOf(message.taskId) : undefined;
  switch (message.type) {
    case "ui/pair":
      await pair(message.server, message.code);
      break;
    case "ui/unpair":
      await savePairing(null);
      break;
    case "ui/answer_pair": {
      const request = await pendingRequest();
      if (request?.server !== message.server) break;
      if (message.accept) await pair(request.server, request.code);
      await clearRequest();
      break;
    }
    case "ui/takeover":
      if (task) await takeover.takeOver(task, "popup");
      break;
    case "ui/handback":
      if (task) await takeover.handBack(task);
      break;
    case "ui/stop":
      if (task) await takeover.stop(task);
      break;
    case "ui/reconnect":
      connection.close();
      break;
  }
  await connection.wake();
  await show();
  return { ok: true };
}

/** Pages that were open before the extension was installed get the bridge now. */
async function reachOpenPages(): Promise<void> {
  const tabs = await chrome.tabs.query({ url: ["http://127.0.0.1/*", "http://localhost/*"] });
  for (const tab of tabs) if (tab.id !== undefined) void chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ["bridge.js"] }).catch(() => undefined);
}
