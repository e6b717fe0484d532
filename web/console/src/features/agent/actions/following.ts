/** Reads a conversation and follows it while it continues. */

import { fetchData, HostError } from "@handrail/host";
import { currentLine } from "../../../shell/line";
import { closePanel } from "../../people/actions/panel";
import { chooseTask, takeTasks } from "../../browser/actions";
import { messageOf } from "../../../shell/failure";
import { afterDisconnect, emptyConversation, takeNewest, takeOlder, type Run, type TaskPage } from "../logic/chat";
import { takeEvent, unknownMessageId, type ChatEvent } from "../logic/chatEvents";
import { queue } from "../../people/store";
import { keepRefused } from "./drafts";
import { chatTexts, conversation, conversationOf, loading, unfolded, wantedMode, wantedModel } from "../store";

interface ReceivedEvent {
  id: string;
  taskId: string;
  timestamp: number;
  event: ChatEvent;
}

const PAGE = 100;
const MOST_IDS = 5000;
export const pathOf = (taskId: string): string => `/api/agent/task/${encodeURIComponent(taskId)}`;

let heardRuns = 0;
let heardIds = new Set<string>();
let soughtWords = new Set<string>();
let waitingEvents: ReceivedEvent[] = [];
let frame = 0;
let isReading = false;
let isWantedAgain = false;

/** Returns a function that stops it. */
export function follow(): () => void {
  const line = currentLine();
  line?.on("frontend_event", receiveEvent);
  const leave = (): void => keepRefused(conversationOf.value, conversation.value);
  addEventListener("pagehide", leave);
  // A hidden window has no animation frames.
  const ticking = setInterval(() => {
    if (document.visibilityState === "hidden" && waitingEvents.length) takeWaiting();
  }, 1000);
  return () => {
    clearInterval(ticking);
    leave();
    removeEventListener("pagehide", leave);
    conversation.value = emptyConversation;
    line?.off("frontend_event", receiveEvent);
    conversationOf.value = "";
  };
}

/** The first piece is drawn at once; pieces within the same frame are drawn together. */
function receiveEvent(event: ReceivedEvent): void {
  if (event.taskId !== conversationOf.value || heardIds.has(event.id)) return;
  if (heardIds.size > MOST_IDS) heardIds.clear();
  heardIds.add(event.id);
  waitingEvents.push(event);
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
    const unheard = unknownMessageId(now, event);
    // The message may be on an older page: one check is enough.
    if (unheard !== undefined && !soughtWords.has(unheard)) {
      soughtWords.add(unheard);
      void readNewest();
    }
    now = takeEvent(now, event, timestamp);
  }
  conversation.value = now;
}

/** Another task, or the same one after a reconnect. A task that starts only now has nothing to read. */
export async function open(taskId: string, isNew = false): Promise<void> {
  if (conversationOf.value !== taskId) {
    keepRefused(conversationOf.value, conversation.value);
    heardIds = new Set();
    soughtWords = new Set();
    waitingEvents = [];
    unfolded.value = new Set();
    wantedMode.value = undefined;
    wantedModel.value = undefined;
    conversation.value = emptyConversation;
    conversationOf.value = taskId;
    loading.value = "loading";
    // The panel's question is also in the conversation, where it is shown instead.
    const { shown, prompts: asked } = queue.value;
    if (shown !== null && asked.get(shown)?.request.runId === taskId) closePanel();
  } else {
    conversation.value = afterDisconnect(conversation.value);
  }
  // New events are subscribed to first and the past is read afterwards, so that nothing is missed.
  currentLine()?.emit("frontend_message", { v: 1, type: "subscribe", taskId });
  chooseTask(taskId);
  if (isNew) loading.value = "ready";
  else await readNewest();
}

async function readNewest(): Promise<void> {
  const taskId = conversationOf.value;
  if (!taskId) return;
  if (isReading) {
    // What is being read may be older than what is requested now.
    isWantedAgain = true;
    return;
  }
  [isReading, isWantedAgain] = [true, false];
  const heardBefore = heardRuns;
  try {
    const page = await fetchData<TaskPage>(`${pathOf(taskId)}?limit=${PAGE}`);
    if (conversationOf.value !== taskId) return;
    // It may be older than what the list has loaded.
    if (page.task) takeTasks([page.task]);
    // A state that arrived as an event is newer than the one that was read.
    const run = heardRuns === heardBefore ? page.run : conversation.value.run;
    conversation.value = takeNewest(conversation.value, { ...page, run });
    loading.value = "ready";
  } catch (failure) {
    if (conversationOf.value !== taskId) return;
    const isUnknown = failure instanceof HostError && failure.status === 404;
    // A task starts with its first message; until that has arrived, the server doesn't know the task.
    loading.value = conversation.value.entries.length ? "ready" : { problem: isUnknown ? chatTexts.value.noSuchTask : messageOf(failure) };
  } finally {
    isReading = false;
    if (isWantedAgain) void readNewest();
  }
}

export async function loadOlder(): Promise<void> {
  const taskId = conversationOf.value;
  const { next } = conversation.value;
  if (next === undefined) return;
  const page = await fetchData<TaskPage>(`${pathOf(taskId)}?limit=${PAGE}&before=${next}`);
  if (conversationOf.value === taskId && conversation.value.next === next) conversation.value = takeOlder(conversation.value, page);
}

/** The answer to a person's command is newer than anything that is being read. */
export function takeRun(taskId: string, answer: Run | { run?: Run | null } | null): void {
  const run = answer && "run" in answer ? answer.run : (answer as Run | null);
  if (!run?.status || conversationOf.value !== taskId) return;
  heardRuns++;
  conversation.value = { ...conversation.value, run, trouble: run.trouble ? conversation.value.trouble : null };
}
