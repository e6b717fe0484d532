/** What the console knows of conversations. Only actions.ts beside it writes here. */

import { computed, signal } from "@preact/signals";
import { tasks } from "../browser/store";
import { emptyConversation, type Conversation, type Mode } from "../logic/chat";
import { calls, language, page, queue, subject } from "../store";
import { isSettled, type Asked } from "../logic/queue";
import { chatEn } from "../texts/chat/en";
import { chatZh } from "../texts/chat/zh";

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
}

export interface Attachment {
  artifactId: string;
  name: string;
}

/** Fetched with the page: whoever never talks here does not load what it says. */
export const chatTexts = computed(() => ({ en: chatEn, zh: chatZh })[language.value]);

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
/** What was typed and not sent, by task. */
export const drafts = signal<ReadonlyMap<string, string>>(new Map());

export const shownTask = computed(() => tasks.value.find(({ taskId }) => taskId === openTask.value));
export const hasModel = computed(() => {
  const known = models.value;
  return known !== null && known.current !== "" && known.models.find(({ name }) => name === known.current)?.hasKey !== false;
});
/** The questions that this task waits for. */
export const asked = computed<readonly Asked[]>(() => waitingIn(openTask.value));
export const askingTasks = computed<ReadonlySet<string>>(
  () => new Set(queue.value.order.map((id) => queue.value.asked.get(id)).filter((one) => one && !isSettled(one)).map((one) => one?.request.runId ?? "")),
);

function waitingIn(taskId: string): Asked[] {
  const { order, asked: all } = queue.value;
  return order.map((id) => all.get(id)).filter((one): one is Asked => one !== undefined && one.request.runId === taskId && taskId !== "");
}

export const callsById = computed(() => new Map(calls.value.map((call) => [call.executionId, call])));
