/** What was typed and attached and not sent yet, by task. It outlives a reload of the page, and no more than its window. */

import { signal } from "@preact/signals";
import type { Attachment, Conversation } from "../logic/chat";

export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** The task that begins with these words: what is attached belongs to it already. */
  begins?: string;
}

const KEY = "handrail.drafts";
const EMPTY: Draft = { text: "", attachments: [] };

const drafts = signal<ReadonlyMap<string, Draft>>(new Map(read()));

export const draftOf = (taskId: string): Draft => drafts.value.get(taskId) ?? EMPTY;

export function keepDraft(taskId: string, change: Partial<Draft>): void {
  const now = { ...draftOf(taskId), ...change };
  const kept = new Map(drafts.value);
  if (now.text || now.attachments.length) kept.set(taskId, now);
  else kept.delete(taskId);
  drafts.value = kept;
  write();
}

/** Words that were refused go back to where they were typed, before the conversation is left. */
export function keepRefused(taskId: string, { entries }: Conversation): void {
  for (const { sending, text, attachments = [] } of entries) {
    if (sending !== "refused") continue;
    const before = draftOf(taskId);
    keepDraft(taskId, { text: [before.text, text].filter(Boolean).join("\n\n"), attachments: [...before.attachments, ...attachments] });
  }
}

function read(): [string, Draft][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, Draft][];
  } catch {
    return [];
  }
}

function write(): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...drafts.value]));
  } catch {
    // A store that is full or closed: the draft lives as long as the page.
  }
}
