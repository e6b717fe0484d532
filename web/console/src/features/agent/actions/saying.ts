/** A person's words, with files, on their way to the agent. */

import { theLine } from "../../../shell/line";
import { respond } from "../../people/actions/prompts";
import { say, settle, type Attachment, type Entry } from "../logic/chat";
import { isSettled } from "../../people/logic/queue";
import { promptOf } from "../logic/results";
import { queue } from "../../people/store";
import { giveBack } from "./drafts";
import { chatTexts, conversation, conversationOf, wantedMode, wantedModel } from "../store";

type Ack = { ok: boolean; error?: { code: string; message: string } } | undefined;

const ACK_MS = 15_000;

export const newMessageId = (): string => `evt-${crypto.randomUUID()}`;

/** Words are shown at once; they are known by their id, so that sent again they count once. */
export async function send(taskId: string, text: string, attachments: readonly Attachment[] = [], id: string = newMessageId()): Promise<void> {
  const ids = attachments.map((one) => one.id);
  conversation.value = say(conversation.value, { id, text, at: Date.now(), ...(attachments.length ? { attachments } : {}) });
  // A run at work keeps its mode and model: what was chosen meanwhile is for the words after it.
  const isAtWork = conversation.value.run?.status === "running";
  const [mode, model] = isAtWork ? [undefined, undefined] : [wantedMode.value, wantedModel.value];
  const message = {
    v: 1, type: "user_message", id, taskId, timestamp: Date.now(), content: text,
    ...(ids.length ? { attachments: ids } : {}),
    ...(mode ? { mode } : {}),
    ...(model === undefined ? {} : { model }),
  };
  const refuse = (message_: string, code = ""): void => {
    // Somebody looks at another task already: the words wait where they were typed.
    if (conversationOf.value !== taskId) return giveBack(taskId, { id, text, attachments });
    conversation.value = { ...settle(conversation.value, id, false), trouble: { code, message: message_ } };
  };
  const line = theLine();
  if (!line?.connected) return refuse(chatTexts.value.notSent);
  try {
    const ack = (await line.timeout(ACK_MS).emitWithAck("frontend_message", message)) as Ack;
    if (ack && !ack.ok) return refuse(ack.error?.message ?? chatTexts.value.notSent, ack.error?.code);
    if (conversationOf.value !== taskId) return;
    acknowledge(taskId);
    conversation.value = settle(conversation.value, id, true);
    // From now on the run says what it is carried out with; what was chosen meanwhile is for the next words.
    if (wantedMode.value === mode) wantedMode.value = undefined;
    if (wantedModel.value === model) wantedModel.value = undefined;
  } catch {
    refuse(chatTexts.value.notSent);
  }
}

export const sendAgain = (taskId: string, entry: Entry): Promise<void> =>
  send(taskId, entry.text, entry.attachments, entry.id);

/** Whoever says more has read what came of it before. */
function acknowledge(taskId: string): void {
  for (const entry of conversation.value.entries) {
    const told = promptOf(entry, taskId, queue.value.asked.values());
    if (told && !isSettled(told)) void respond(told.request, { status: "ok" }).catch(() => undefined);
  }
}
