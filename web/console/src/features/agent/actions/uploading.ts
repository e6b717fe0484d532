/**
 * Uploads files for the message that is being typed, by task. Sending waits for all of them, also after the page was
 * left.
 */

import { signal } from "@preact/signals";
import { fetchData, postJson } from "@handrail/host";
import type { Attachment } from "../logic/chat";
import { nextTaskId } from "./newTask";
import { draftOf, keepDraft } from "./drafts";

const SAMPLE = 65_536;

interface Upload {
  name: string;
}

const underWay = signal<ReadonlyMap<string, readonly Upload[]>>(new Map());

export const uploadsOf = (taskId: string): readonly Upload[] => underWay.value.get(taskId) ?? [];

/** One after the other; files that have arrived stay if a later one fails. */
export async function upload(taskId: string, files: readonly File[]): Promise<void> {
  for (const file of files) await uploadOne(taskId, file);
}

async function uploadOne(taskId: string, file: File): Promise<void> {
  const mine: Upload = { name: file.name };
  setUploads(taskId, [...uploadsOf(taskId), mine]);
  try {
    const owner = taskId || (await nextTaskId());
    const one = await attach(owner, file);
    keepDraft(taskId, { attachments: [...draftOf(taskId).attachments, one], ...(taskId ? {} : { begins: owner }) });
  } finally {
    setUploads(taskId, uploadsOf(taskId).filter((other) => other !== mine));
  }
}

function setUploads(taskId: string, uploads: readonly Upload[]): void {
  underWay.value = new Map(underWay.value).set(taskId, uploads);
}

interface Slot {
  artifactId: string;
  uploadUrl: string;
}

/** Uploads directly to the artifact store; the slot's own token is in its address. */
async function attach(taskId: string, file: File): Promise<Attachment> {
  const contentType = await typeOf(file);
  const slot = await postJson<Slot>("/api/artifacts/presign", { taskId, kind: "attachment", contentType, name: file.name.slice(0, 256) });
  const { pathname, search } = new URL(slot.uploadUrl, location.href);
  await fetchData<unknown>(`${pathname}${search}`, { method: "PUT", headers: { "content-type": contentType }, body: file });
  return { id: slot.artifactId, name: file.name, type: contentType };
}

/** Browsers know few types by file name: anything that reads as text is text. */
async function typeOf(file: File): Promise<string> {
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(file.type)) return file.type;
  try {
    const beginning = new TextDecoder("utf-8", { fatal: true }).decode(await file.slice(0, SAMPLE).arrayBuffer(), { stream: true });
    return beginning.includes("\0") ? "application/octet-stream" : "text/plain";
  } catch {
    return "application/octet-stream";
  }
}
