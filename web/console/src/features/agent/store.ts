/** What the console knows of conversations. Only the modules beside it write here. */

import { computed, signal } from "@preact/signals";
import { tasks } from "../browser/store";
import { emptyConversation, type Conversation, type Mode } from "./logic/chat";
import { calls } from "../history/store";
import { page, subject, texts } from "../../store";
import { queue } from "../people/store";
import { isSettled, type Asked } from "../people/logic/queue";
import { isAnsweredByWords, isToldBy } from "./logic/results";

export interface ModelOffer {
  name: string;
  provider: string;
  hasKey: boolean;
}

export interface Models {
  models: ModelOffer[];
  /** Empty where none is set. */
  current: string;
  baseUrl?: string;
  /** How much the model thinks; empty: as it does by itself. */
  effort?: Effort;
}

export const EFFORTS = ["", "minimal", "low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

export const chatTexts = computed(() => texts.value.chat);

export const openTask = computed(() => (page.value === "chat" ? subject.value : ""));
export const conversation = signal<Conversation>(emptyConversation);
/** Whose conversation that is. */
export const conversationOf = signal("");
export const loading = signal<"loading" | "ready" | { problem: string }>("ready");
export const models = signal<Models | null>(null);
/** What the next words are to be taken with; undefined: as the run says. */
export const wantedMode = signal<Mode | undefined>(undefined);
export const wantedModel = signal<string | undefined>(undefined);
/** Opened tool calls, by execution: they stay open while the list around them changes. */
export const unfolded = signal<ReadonlySet<string>>(new Set());

export const shownTask = computed(() => tasks.value.find(({ taskId }) => taskId === openTask.value));
export const hasModel = computed(() => {
  const known = models.value;
  return known !== null && known.current !== "" && known.models.find(({ name }) => name === known.current)?.hasKey !== false;
});
const inOrder = computed<readonly Asked[]>(() => queue.value.order.map((id) => queue.value.asked.get(id)).filter((one) => one !== undefined));
/** The questions that this task waits for. What it reports as its result stands in the conversation by itself. */
export const asked = computed<readonly Asked[]>(() =>
  inOrder.value.filter(({ request }) => openTask.value !== "" && request.runId === openTask.value && !isToldBy(request, conversation.value.entries)),
);
/** A result is to be read and not to be answered; and what was stopped waits for nothing. */
const isWaiting = (one: Asked): boolean => !isSettled(one) && one.request.prompt.kind !== "result" && (one.request.caller ?? "waiting") === "waiting";
export const isAsking = computed(() => asked.value.some(isWaiting));
export const askingTasks = computed<ReadonlySet<string>>(() => new Set(inOrder.value.filter(isWaiting).map(({ request }) => request.runId ?? "")));
/** Whether what the agent waits for can be said in words: its question, or its plan. */
export const takesWords = computed(() => asked.value.some((one) => isWaiting(one) && isAnsweredByWords(one.request)));

export const callsById = computed(() => new Map(calls.value.map((call) => [call.executionId, call])));
