/** The console's state of conversations. Only the modules beside it write here. */

import { computed, signal } from "@preact/signals";
import { tasks } from "../browser/store";
import { emptyConversation, type Conversation, type Mode } from "./logic/chat";
import { calls } from "../history/store";
import { page, subject, texts } from "../../store";
import { visible } from "../../logic/visible";
import { queue } from "../people/store";
import { isSettled, type QueuedPrompt } from "../people/logic/queue";
import { isAnsweredByWords, isReportedIn } from "./logic/results";

export interface ModelOffer {
  name: string;
  provider: string;
  hasKey: boolean;
}

export interface Models {
  models: ModelOffer[];
  /** Empty if none is set. */
  current: string;
  baseUrl?: string;
  /** How much the model thinks; empty: its default. */
  effort?: Effort;
}

export const EFFORTS = ["", "minimal", "low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

export const chatTexts = computed(() => texts.value.chat);

export const openTask = computed(() => (page.value === "chat" ? subject.value : ""));
export const conversation = signal<Conversation>(emptyConversation);
/** The task that the conversation belongs to. */
export const conversationOf = signal("");
export const loading = signal<"loading" | "ready" | { problem: string }>("ready");
export const models = signal<Models | null>(null);
/** The mode for the next message; undefined: the run's own. */
export const wantedMode = signal<Mode | undefined>(undefined);
export const wantedModel = signal<string | undefined>(undefined);
/** Opened tool calls, by execution id: they stay open while the list around them changes. */
export const unfolded = signal<ReadonlySet<string>>(new Set());

export const shownTask = computed(() => tasks.value.find(({ taskId }) => taskId === openTask.value));
export const hasModel = computed(() => {
  const list = models.value;
  return list !== null && list.current !== "" && list.models.find(({ name }) => name === list.current)?.hasKey !== false;
});
/** A model's name for people. A script is known by its path, which says little. */
export const modelTitle = (name: string): string => chatTexts.value.otherAgents[name] ?? (name.startsWith("script:") ? chatTexts.value.scriptedModel : visible(name));
/** Whether a model's name stands for another vendor's agent; an empty one for the model of the settings. */
export const isOtherAgent = (model: string | undefined): boolean => (model || models.value?.current || "").startsWith("agent:");
/** Whether another vendor's agent works on the task: in a cage, and it can't be paused. */
export const isCaged = computed(() => isOtherAgent(conversation.value.run?.model));
/** Whether one gets the next message. It has no plan mode, and its model is its own. */
export const isOtherAgentChosen = computed(() => isOtherAgent(wantedModel.value ?? (openTask.value ? conversation.value.run?.model : undefined)));
const inOrder = computed<readonly QueuedPrompt[]>(() => queue.value.order.map((id) => queue.value.prompts.get(id)).filter((one) => one !== undefined));
/** Questions that this task waits for. Its result appears in the conversation itself. */
export const pendingPrompts = computed<readonly QueuedPrompt[]>(() =>
  inOrder.value.filter(({ request }) => openTask.value !== "" && request.runId === openTask.value && !isReportedIn(request, conversation.value.entries)),
);
/** A result is to be read and not answered, and a stopped run waits for nothing. */
const isWaiting = (one: QueuedPrompt): boolean => !isSettled(one) && one.request.prompt.kind !== "result" && (one.request.caller ?? "waiting") === "waiting";
export const isAsking = computed(() => pendingPrompts.value.some(isWaiting));
export const askingTasks = computed<ReadonlySet<string>>(() => new Set(inOrder.value.filter(isWaiting).map(({ request }) => request.runId ?? "")));
/** Whether what the agent waits for can be answered with a message: its question, or its plan. */
export const takesWords = computed(() => pendingPrompts.value.some((one) => isWaiting(one) && isAnsweredByWords(one.request)));

export const callsById = computed(() => new Map(calls.value.map((call) => [call.executionId, call])));
