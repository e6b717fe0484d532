/** What was typed and attached but not sent, by task. It survives a reload of the page, but not its window. */

import { signal } from "@preact/signals";
import type { Attachment, Conversation, Entry } from "../logic/chat";

export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** The id of the task that starts with this text; attachments belong to it already. */
  begins?: string;
  /** The id under which exactly this text was sent before; sent again under it, it counts once. */
  id?: string;
}

/** A message that was sent and not accepted. */
export type Unsent = Pick<Entry, "id" | "text" | "attachments"> & Pick<Draft, "begins">;

const KEY = "handrail.drafts";
const EMPTY: Draft = { text: "", attachments: [] };

const drafts = signal<ReadonlyMap<string, Draft>>(new Map(read()));

export const draftOf = (taskId: string): Draft => drafts.value.get(taskId) ?? EMPTY;

/** A changed text is another message. */
export function keepDraft(taskId: string, change: Partial<Draft>): void {
  const { id: _, ...before } = draftOf(taskId);
  const now: Draft = { ...before, ...change };
  const updated = new Map(drafts.value);
  if (now.text || now.attachments.length) updated.set(taskId, now);
  else updated.delete(taskId);
  drafts.value = updated;
  write();
}

/** Puts a refused message back into the composer before the conversation is left. */
export function keepRefused(taskId: string, { entries }: Conversation): void {
  for (const entry of entries) if (entry.sending === "refused") giveBack(taskId, entry);
}

/** Appends the message to what was typed in the meantime, and only once. */
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
    // Storage is full or disabled: the draft lives as long as the page.
  }
}
