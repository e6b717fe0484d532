/** What happens in conversations: reading, following, saying something, a person's hand on a run. The only writer of their store. */

import { fetchData, HostError, postJson } from "@handrail/host";
import { closePanel, goTo as goToPage, theLine } from "../actions";
import { chooseTask, reloadBrowsers } from "../browser/actions";
import { messageOf } from "../failure";
import { afterCut, emptyConversation, say, settle, takeNewest, takeOlder, type Entry, type Mode, type Run, type TaskPage } from "../logic/chat";
import { unheardBy, takeEvent, type ChatEvent } from "../logic/chatEvents";
import { announcement, queue } from "../store";
import { chatTexts, conversation, conversationOf, drafts, loading, unfolded, wantedMode, wantedModel, type Attachment } from "./store";

interface Told {
  id: string;
  taskId: string;
  timestamp: number;
  event: ChatEvent;
}

type Ack = { ok: boolean; error?: { code: string; message: string } } | undefined;

const PAGE = 200;
const ACK_MS = 15_000;
const MOST_IDS = 5000;
const at = (taskId: string): string => `/api/agent/task/${encodeURIComponent(taskId)}`;

let heardRuns = 0;
let heardIds = new Set<string>();
let soughtWords = new Set<string>();
let waitingEvents: Told[] = [];
let frame = 0;
let isReading = false;

/** Tells what to do when nobody looks any more. */
export function follow(): () => void {
  const line = theLine();
  line?.on("frontend_event", hear);
  // In a window that nobody looks at there are no frames.
  const ticking = setInterval(() => {
    if (document.visibilityState === "hidden" && waitingEvents.length) takeWaiting();
  }, 1000);
  return () => {
    clearInterval(ticking);
    line?.off("frontend_event", hear);
    conversationOf.value = "";
  };
}

/** The first piece is drawn at once; what comes within the same frame is drawn together. */
function hear(told: Told): void {
  if (told.taskId !== conversationOf.value || heardIds.has(told.id)) return;
  if (heardIds.size > MOST_IDS) heardIds.clear();
  heardIds.add(told.id);
  waitingEvents.push(told);
  if (frame) return;
  takeWaiting();
  frame = requestAnimationFrame(() => {
    frame = 0;
    if (waitingEvents.length) takeWaiting();
  });
}

function takeWaiting(): void {
  const events = waitingEvents;
  waitingEvents = [];
  let now = conversation.value;
  for (const { event, timestamp } of events) {
    if (event.type === "runStatus") heardRuns++;
    const unheard = unheardBy(now, event);
    // They may be older than a page: one look is enough.
    if (unheard !== undefined && !soughtWords.has(unheard)) {
      soughtWords.add(unheard);
      void readNewest();
    }
    now = takeEvent(now, event, timestamp);
  }
  conversation.value = now;
}

/** Another task, or the same one after a reconnect. Of one that begins only now there is nothing to read. */
export async function open(taskId: string, isNew = false): Promise<void> {
  if (conversationOf.value !== taskId) {
    heardIds = new Set();
    soughtWords = new Set();
    waitingEvents = [];
    unfolded.value = new Set();
    wantedMode.value = undefined;
    wantedModel.value = undefined;
    conversation.value = emptyConversation;
    conversationOf.value = taskId;
    loading.value = "loading";
    // The question that it waits for stands in the conversation as well; once is enough.
    const { shown, asked } = queue.value;
    if (shown !== null && asked.get(shown)?.request.runId === taskId) closePanel();
  } else {
    conversation.value = afterCut(conversation.value);
  }
  // What happens from now on is told; what was before is read after that, so that nothing falls between.
  theLine()?.emit("frontend_message", { v: 1, type: "subscribe", taskId });
  chooseTask(taskId);
  if (isNew) loading.value = "ready";
  else await readNewest();
}

async function readNewest(): Promise<void> {
  const taskId = conversationOf.value;
  if (isReading || !taskId) return;
  isReading = true;
  const heardBefore = heardRuns;
  try {
    const page = await fetchData<TaskPage>(`${at(taskId)}?limit=${PAGE}`);
    if (conversationOf.value !== taskId) return;
    // A state that was told meanwhile is newer than the one that was read.
    const run = heardRuns === heardBefore ? page.run : conversation.value.run;
    conversation.value = takeNewest(conversation.value, { ...page, run });
    loading.value = "ready";
  } catch (failure) {
    if (conversationOf.value !== taskId) return;
    // A task begins with its first words: until then nobody knows it.
    const isNew = failure instanceof HostError && failure.status === 404;
    loading.value = isNew || conversation.value.entries.length ? "ready" : { problem: messageOf(failure) };
  } finally {
    isReading = false;
    if (conversationOf.value !== taskId) void readNewest();
  }
}

export async function loadOlder(): Promise<void> {
  const taskId = conversationOf.value;
  const { next } = conversation.value;
  if (next === undefined) return;
  const page = await fetchData<TaskPage>(`${at(taskId)}?limit=${PAGE}&before=${next}`);
  if (conversationOf.value === taskId && conversation.value.next === next) conversation.value = takeOlder(conversation.value, page);
}

/** Words are shown at once; they are known by their id, so that sent again they count once. */
export async function send(taskId: string, text: string, attachments: readonly Attachment[] = [], id: string = `evt-${crypto.randomUUID()}`): Promise<void> {
  const ids = attachments.map(({ artifactId }) => artifactId);
  conversation.value = say(conversation.value, { id, text, at: Date.now(), ...(ids.length ? { attachments: ids } : {}) });
  const message = {
    v: 1, type: "user_message", id, taskId, timestamp: Date.now(), content: text,
    ...(ids.length ? { attachments: ids } : {}),
    ...(wantedMode.value ? { mode: wantedMode.value } : {}),
    ...(wantedModel.value === undefined ? {} : { model: wantedModel.value }),
  };
  const refuse = (message_: string, code = ""): void => {
    if (conversationOf.value !== taskId) return;
    conversation.value = { ...settle(conversation.value, id, false), trouble: { code, message: message_ } };
  };
  const line = theLine();
  if (!line?.connected) return refuse(chatTexts.value.notSent);
  try {
    const ack = (await line.timeout(ACK_MS).emitWithAck("frontend_message", message)) as Ack;
    if (ack && !ack.ok) return refuse(ack.error?.message ?? chatTexts.value.notSent, ack.error?.code);
    if (conversationOf.value !== taskId) return;
    conversation.value = settle(conversation.value, id, true);
    // From now on the run says what it is carried out with.
    wantedMode.value = undefined;
    wantedModel.value = undefined;
  } catch {
    refuse(chatTexts.value.notSent);
  }
}

export const sendAgain = (taskId: string, entry: Entry): Promise<void> =>
  send(taskId, entry.text, (entry.attachments ?? []).map((artifactId) => ({ artifactId, name: artifactId })), entry.id);

export async function steer(taskId: string, verb: "stop" | "pause" | "resume"): Promise<void> {
  const run = await postJson<Run | { run: Run }>(`${at(taskId)}/${verb}`, {});
  if (conversationOf.value === taskId) heardRuns++;
  takeRun(taskId, run);
  announcement.value = chatTexts.value.told[verb];
}

export async function change(taskId: string, wanted: { mode?: Mode; model?: string }): Promise<void> {
  if (wanted.mode) wantedMode.value = wanted.mode;
  if (wanted.model !== undefined) wantedModel.value = wanted.model;
  if (!conversation.value.run) return;
  try {
    takeRun(taskId, await postJson<Run | { run: Run }>(at(taskId), wanted));
    if (wanted.mode) wantedMode.value = undefined;
    if (wanted.model !== undefined) wantedModel.value = undefined;
  } catch (failure) {
    // While the agent is at work it stays a wish, which goes with the next words.
    if (!(failure instanceof HostError) || failure.status !== 409) throw failure;
  }
}

function takeRun(taskId: string, answer: Run | { run?: Run | null } | null): void {
  const run = answer && "run" in answer ? answer.run : (answer as Run | null);
  if (run?.status && conversationOf.value === taskId) conversation.value = { ...conversation.value, run };
}

export async function rename(taskId: string, title: string): Promise<void> {
  await postJson<unknown>(at(taskId), { title });
  await reloadBrowsers();
}

export async function archive(taskId: string, archived: boolean): Promise<void> {
  await postJson<unknown>(at(taskId), { archived });
  await reloadBrowsers();
  announcement.value = archived ? chatTexts.value.archivedNow : chatTexts.value.unarchivedNow;
}

export async function newTask(): Promise<string> {
  return (await fetchData<{ taskId: string }>("/api/task/id")).taskId;
}

export const goTo = (taskId: string): void => goToPage("chat", taskId);

interface Slot {
  artifactId: string;
  uploadUrl: string;
}

/** Straight to where artifacts lie; the slot's own token is in its address. */
export async function attach(taskId: string, file: File): Promise<Attachment> {
  const contentType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(file.type) ? file.type : "application/octet-stream";
  const slot = await postJson<Slot>("/api/artifacts/presign", { taskId, kind: "attachment", contentType, name: file.name.slice(0, 256) });
  const { pathname, search } = new URL(slot.uploadUrl, location.href);
  await fetchData<unknown>(`${pathname}${search}`, { method: "PUT", headers: { "content-type": contentType }, body: file });
  return { artifactId: slot.artifactId, name: file.name };
}

export function keepDraft(taskId: string, text: string): void {
  const kept = new Map(drafts.value);
  if (text) kept.set(taskId, text);
  else kept.delete(taskId);
  drafts.value = kept;
}

export function toggle(executionId: string): void {
  const now = new Set(unfolded.value);
  if (!now.delete(executionId)) now.add(executionId);
  unfolded.value = now;
}
