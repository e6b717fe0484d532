/**
 * A conversation: what was read of it and the events that arrive while it continues, as one list without duplicates.
 */

import type { BrowserTask } from "../../browser/logic/browserTasks";

export type Mode = "plan" | "act";
export type RunStatus = "running" | "paused" | "waiting" | "ended";
export type ToolStatus = "running" | "success" | "error";

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** In US dollars; absent if the model's price is unknown. */
  cost?: number | null;
  /** Partly estimated by handrail: the provider reports the price of a complete reply only. */
  estimated?: boolean;
}

export interface Run {
  status: RunStatus;
  mode: Mode;
  model: string;
  usage: Usage;
  /** Replies since the last message. */
  steps?: number;
  mostSteps?: number;
  /** In US dollars; 0: no limit. */
  mostCost?: number;
  /** The limit at which it stopped; if it is raised, the run continues. */
  reached?: LimitName;
  /** The run can continue, and the agent isn't working. */
  canResume?: boolean;
  /** Why it stopped, in words for people. */
  trouble?: string;
}

export type LimitName = "mostSteps" | "mostCost";

/** A file attached to a message. */
export interface Attachment {
  id: string;
  name: string;
  type: string;
}

export interface ToolUse {
  name: string;
  executionId: string;
  status: ToolStatus;
  /** JSON as the model wrote it, or the object. */
  arguments?: unknown;
  effect?: string;
}

export interface Entry {
  /** Its place in the record; absent while it is known only from events. */
  n?: number;
  kind: "user" | "assistant" | "tool" | "note";
  id: string;
  at: number;
  text: string;
  tool?: ToolUse;
  attachments?: readonly Attachment[];
  /** What the model thought before it answered. */
  thinking?: string;
  /** A reply that is still being written. */
  isStreaming?: boolean;
  /** Pieces were missed; the complete text follows when it is finished. */
  hasGap?: boolean;
  /** A person's own message: being sent, or refused. */
  sending?: "sent" | "refused";
}

export interface Trouble {
  code: string;
  message: string;
  hint?: string;
}

export interface Conversation {
  entries: readonly Entry[];
  run: Run | null;
  /** Where the next older page starts; absent once everything is loaded. */
  next?: number;
  trouble: Trouble | null;
}

/** The response of `GET /api/agent/task/<id>`. */
export interface TaskPage {
  task?: BrowserTask;
  run: Run | null;
  entries: Entry[];
  next?: number | null;
}

export const emptyConversation: Conversation = { entries: [], run: null, trouble: null };

/** A tool call is identified by its execution id, whatever other ids it has. */
export const keyOf = ({ kind, id, tool }: Entry): string => (kind === "tool" ? `tool ${tool?.executionId ?? id}` : `${kind} ${id}`);

/**
 * Merges the newest page, read at the start and after every reconnect. It is the record and replaces what came from
 * events, except for what it can't contain yet: messages that are being sent, and a reply that is being written.
 */
export function takeNewest(conversation: Conversation, page: TaskPage): Conversation {
  const listed = new Set(page.entries.map(keyOf));
  const first = page.entries[0]?.n ?? Number.POSITIVE_INFINITY;
  const older = conversation.entries.filter((entry) => entry.n !== undefined && entry.n < first && !listed.has(keyOf(entry)));
  // If more was added than a page holds, the entries in between are unknown: older pages are loaded again from there.
  const isJoined = conversation.entries.some((entry) => listed.has(keyOf(entry)));
  const isRunning = page.run?.status === "running";
  const eventEntries = conversation.entries.filter((entry) => entry.n === undefined && !listed.has(keyOf(entry)) && (isRunning || entry.sending));
  const before = isJoined ? older : [];
  return withNext({ ...conversation, entries: [...before, ...page.entries, ...eventEntries], run: page.run, trouble: troubleIn(page.run, conversation.trouble) }, before.length ? conversation.next : page.next);
}

/** The event says more than the stored run. */
function troubleIn(run: Run | null, reported: Trouble | null): Trouble | null {
  if (run?.status === "running") return null;
  return run?.trouble ? (reported ?? { code: "", message: run.trouble }) : reported;
}

/**
 * After a disconnect, pieces of a reply that is being written may have been missed, until it arrives from its
 * beginning or as a whole.
 */
export function afterDisconnect(conversation: Conversation): Conversation {
  if (!conversation.entries.some(({ isStreaming }) => isStreaming)) return conversation;
  return { ...conversation, entries: conversation.entries.map((entry) => (entry.isStreaming ? { ...entry, hasGap: true } : entry)) };
}

/** Merges an older page. */
export function takeOlder(conversation: Conversation, page: TaskPage): Conversation {
  const listed = new Set(conversation.entries.map(keyOf));
  return withNext({ ...conversation, entries: [...page.entries.filter((entry) => !listed.has(keyOf(entry))), ...conversation.entries] }, page.next);
}

/** The last page has no `next`. */
const withNext = ({ next: _, ...known }: Conversation, next: number | null | undefined): Conversation =>
  next === undefined || next === null ? known : { ...known, next };

export function addMessage(conversation: Conversation, words: { id: string; text: string; at: number; attachments?: readonly Attachment[] }): Conversation {
  const message: Entry = { kind: "user", ...words, sending: "sent" };
  return { ...conversation, trouble: null, entries: [...conversation.entries.filter((entry) => keyOf(entry) !== keyOf(message)), message] };
}

/** Whether a person's message was accepted, or refused and has to be sent again. */
export function markSent(conversation: Conversation, id: string, isTaken: boolean): Conversation {
  const at = placeOf(conversation, "user", id);
  return at < 0 ? conversation : withChangedEntry(conversation, at, ({ sending: _, ...entry }) => (isTaken ? entry : { ...entry, sending: "refused" }));
}

/** Searches from the newest entry, which nearly all events are about. */
export function placeOf({ entries }: Conversation, kind: Entry["kind"], id: string): number {
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    if (entry.kind === kind && (kind === "tool" ? entry.tool?.executionId : entry.id) === id) return at;
  }
  return -1;
}

/** All other entries stay the same objects, so that they aren't drawn again. */
export function withChangedEntry(conversation: Conversation, at: number, change: (entry: Entry) => Entry): Conversation {
  const entries = [...conversation.entries];
  entries[at] = change(entries[at] as Entry);
  return { ...conversation, entries };
}

const CHUNK = 24;

/** Whether an entry starts a chunk depends only on its key, so that neither older nor newer entries move drawn ones. */
function beginsChunk(key: string): boolean {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) % CHUNK === 0;
}

/** Chunks of a few dozen entries, by the key of their first entry. */
export function chunksOf(entries: readonly Entry[]): Map<string, Entry[]> {
  const chunks = new Map<string, Entry[]>();
  let chunk: Entry[] = [];
  for (const entry of entries) {
    const key = keyOf(entry);
    if (chunks.size === 0 || beginsChunk(key)) chunks.set(chunks.size === 0 ? "first" : key, (chunk = []));
    chunk.push(entry);
  }
  return chunks;
}

export function matches(title: string, words: string): boolean {
  const lower = title.toLowerCase();
  return words.toLowerCase().split(/\s+/).filter(Boolean).every((word) => lower.includes(word));
}
