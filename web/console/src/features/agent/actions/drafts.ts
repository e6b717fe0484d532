/** What was typed and attached and not sent yet, by task. It outlives a reload of the page, and no more than its window. */

import { signal } from "@preact/signals";
import type { Attachment, Conversation, Entry } from "../logic/chat";

export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** The task that begins with these words: what is attached belongs to it already. */
  begins?: string;
  /** The message that these very words were sent as before: sent again under it they count once. */
  id?: string;
}

/** Words that were sent and not taken. */
export type Unsent = Pick<Entry, "id" | "text" | "attachments"> & Pick<Draft, "begins">;

const KEY = "handrail.drafts";
const EMPTY: Draft = { text: "", attachments: [] };

const drafts = signal<ReadonlyMap<string, Draft>>(new Map(read()));

export const draftOf = (taskId: string): Draft => drafts.value.get(taskId) ?? EMPTY;

/** Changed words are another message. */
export function keepDraft(taskId: string, change: Partial<Draft>): void {
  const { id: _, ...before } = draftOf(taskId);
  const now: Draft = { ...before, ...change };
  const kept = new Map(drafts.value);
  if (now.text || now.attachments.length) kept.set(taskId, now);
  else kept.delete(taskId);
  drafts.value = kept;
  write();
}

/** Words that were refused go back to where they were typed, before the conversation is left. */
export function keepRefused(taskId: string, { entries }: Conversation): void {
  for (const entry of entries) if (entry.sending === "refused") giveBack(taskId, entry);
}

/** After what was typed meanwhile; once, however often they are left. */
export function giveBack(taskId: string, { id, text, attachments = [], begins }: Unsent): void {
  const before = draftOf(taskId);
  if (before.id === id) return;
  const isAlone = before.text === "" && before.attachments.length === 0;
  keepDraft(taskId, {
    text: [before.text, text].filter(Boolean).join("\n\n"),
    attachments: [...before.attachments, ...attachments],
    ...(isAlone ? { id } : {}),
    ...(begins ? { begins } : {}),
  });
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
