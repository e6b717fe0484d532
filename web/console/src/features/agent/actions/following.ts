/** Reading a conversation and following it while it goes on. */

import { fetchData, HostError } from "@handrail/host";
import { theLine } from "../../../shell/line";
import { closePanel } from "../../people/actions/panel";
import { chooseTask, takeTasks } from "../../browser/actions";
import { messageOf } from "../../../shell/failure";
import { afterCut, emptyConversation, takeNewest, takeOlder, type Run, type TaskPage } from "../logic/chat";
import { takeEvent, unheardBy, type ChatEvent } from "../logic/chatEvents";
import { queue } from "../../people/store";
import { keepRefused } from "./drafts";
import { chatTexts, conversation, conversationOf, loading, unfolded, wantedMode, wantedModel } from "../store";

interface Told {
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
let waitingEvents: Told[] = [];
let frame = 0;
let isReading = false;
let isWantedAgain = false;

/** Tells what to do when nobody looks any more. */
export function follow(): () => void {
  const line = theLine();
  line?.on("frontend_event", hear);
  const leave = (): void => keepRefused(conversationOf.value, conversation.value);
  addEventListener("pagehide", leave);
  // In a window that nobody looks at there are no frames.
  const ticking = setInterval(() => {
    if (document.visibilityState === "hidden" && waitingEvents.length) takeWaiting();
  }, 1000);
  return () => {
    clearInterval(ticking);
    leave();
    removeEventListener("pagehide", leave);
    conversation.value = emptyConversation;
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
  if (!taskId) return;
  if (isReading) {
    // What is being read may be older than what somebody asks for now.
    isWantedAgain = true;
    return;
  }
  [isReading, isWantedAgain] = [true, false];
  const heardBefore = heardRuns;
  try {
    const page = await fetchData<TaskPage>(`${pathOf(taskId)}?limit=${PAGE}`);
    if (conversationOf.value !== taskId) return;
    // It may be older than what the list has read.
    if (page.task) takeTasks([page.task]);
    // A state that was told meanwhile is newer than the one that was read.
    const run = heardRuns === heardBefore ? page.run : conversation.value.run;
    conversation.value = takeNewest(conversation.value, { ...page, run });
    loading.value = "ready";
  } catch (failure) {
    if (conversationOf.value !== taskId) return;
    const isUnknown = failure instanceof HostError && failure.status === 404;
    // A task begins with its first words: until they have arrived, nobody knows it.
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

/** What a person's hand on a run was answered with: newer than anything that is being read. */
export function takeRun(taskId: string, answer: Run | { run?: Run | null } | null): void {
  const run = answer && "run" in answer ? answer.run : (answer as Run | null);
  if (!run?.status || conversationOf.value !== taskId) return;
  heardRuns++;
  conversation.value = { ...conversation.value, run, trouble: run.trouble ? conversation.value.trouble : null };
}
