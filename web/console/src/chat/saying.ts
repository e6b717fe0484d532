/** A person's words, with files, on their way to the agent. */

import { fetchData, postJson } from "@handrail/host";
import { theLine } from "../actions/line";
import { say, settle, type Attachment, type Entry } from "../logic/chat";
import { chatTexts, conversation, conversationOf, drafts, wantedMode, wantedModel } from "./store";

type Ack = { ok: boolean; error?: { code: string; message: string } } | undefined;

const ACK_MS = 15_000;

/** Words are shown at once; they are known by their id, so that sent again they count once. */
export async function send(taskId: string, text: string, attachments: readonly Attachment[] = [], id: string = `evt-${crypto.randomUUID()}`): Promise<void> {
  const ids = attachments.map((one) => one.id);
  conversation.value = say(conversation.value, { id, text, at: Date.now(), ...(attachments.length ? { attachments } : {}) });
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
  send(taskId, entry.text, entry.attachments, entry.id);

export async function newTask(): Promise<string> {
  return (await fetchData<{ taskId: string }>("/api/task/id")).taskId;
}

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
  return { id: slot.artifactId, name: file.name, type: contentType };
}

export function keepDraft(taskId: string, text: string): void {
  const kept = new Map(drafts.value);
  if (text) kept.set(taskId, text);
  else kept.delete(taskId);
  drafts.value = kept;
}
