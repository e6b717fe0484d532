/** Sends a person's message, with files, to the agent. */

import { currentLine } from "../../../shell/line";
import { respond } from "../../people/actions/prompts";
import { addMessage, markSent, type Attachment, type Entry } from "../logic/chat";
import { isSettled } from "../../people/logic/queue";
import { promptOf } from "../logic/results";
import { queue } from "../../people/store";
import { giveBack } from "./drafts";
import { chatTexts, conversation, conversationOf, wantedMode, wantedModel } from "../store";

type Ack = { ok: boolean; error?: { code: string; message: string } } | undefined;

const ACK_MS = 15_000;

export const newMessageId = (): string => `evt-${crypto.randomUUID()}`;

/** The message is shown at once. It is identified by its id, so that sent again it counts once. */
export async function send(taskId: string, text: string, attachments: readonly Attachment[] = [], id: string = newMessageId()): Promise<void> {
  const ids = attachments.map((one) => one.id);
  conversation.value = addMessage(conversation.value, { id, text, at: Date.now(), ...(attachments.length ? { attachments } : {}) });
  // A running agent keeps its mode and model; what was chosen since applies to the message after this one.
  const isAtWork = conversation.value.run?.status === "running";
  const [mode, model] = isAtWork ? [undefined, undefined] : [wantedMode.value, wantedModel.value];
  const message = {
    v: 1, type: "user_message", id, taskId, timestamp: Date.now(), content: text,
    ...(ids.length ? { attachments: ids } : {}),
    ...(mode ? { mode } : {}),
    ...(model === undefined ? {} : { model }),
  };
  const refuse = (message_: string, code = ""): void => {
    // Another task is shown by now: the text goes back to its draft.
    if (conversationOf.value !== taskId) return giveBack(taskId, { id, text, attachments });
    conversation.value = { ...markSent(conversation.value, id, false), trouble: { code, message: message_ } };
  };
  const line = currentLine();
  if (!line?.connected) return refuse(chatTexts.value.notSent);
  try {
    const ack = (await line.timeout(ACK_MS).emitWithAck("frontend_message", message)) as Ack;
    if (ack && !ack.ok) return refuse(ack.error?.message ?? chatTexts.value.notSent, ack.error?.code);
    if (conversationOf.value !== taskId) return;
    acknowledge(taskId);
    conversation.value = markSent(conversation.value, id, true);
    // From now on the run reports its mode and model; what was chosen since applies to the next message.
    if (wantedMode.value === mode) wantedMode.value = undefined;
    if (wantedModel.value === model) wantedModel.value = undefined;
  } catch {
    refuse(chatTexts.value.notSent);
  }
}

export const sendAgain = (taskId: string, entry: Entry): Promise<void> =>
  send(taskId, entry.text, entry.attachments, entry.id);

/** A person who sends a message has read the result before it. */
function acknowledge(taskId: string): void {
  for (const entry of conversation.value.entries) {
    const prompt = promptOf(entry, taskId, queue.value.prompts.values());
    if (prompt && !isSettled(prompt)) void respond(prompt.request, { status: "ok" }).catch(() => undefined);
  }
}
