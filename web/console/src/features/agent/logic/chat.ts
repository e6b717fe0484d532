/** A conversation: what was read of it, and what is told while it goes on, as one list in which nothing stands twice. */

import type { BrowserTask } from "../../browser/logic/browserTasks";

export type Mode = "plan" | "act";
export type RunStatus = "running" | "paused" | "waiting" | "ended";
export type ToolStatus = "running" | "success" | "error";

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** In US dollars; absent where nobody knows the model's price. */
  cost?: number | null;
  /** Some of it was counted by handrail: the provider tells the price of a whole reply only. */
  estimated?: boolean;
}

export interface Run {
  status: RunStatus;
  mode: Mode;
  model: string;
  usage: Usage;
  /** Replies to the last words. */
  steps?: number;
  mostSteps?: number;
  /** In US dollars; 0: no limit. */
  mostCost?: number;
  /** The limit at which it stopped; raised, it goes on. */
  reached?: LimitName;
  /** Something is left to go on with, and the agent is not at work. */
  canResume?: boolean;
  /** Why it does not go on by itself, for people. */
  trouble?: string;
}

export type LimitName = "mostSteps" | "mostCost";

/** A file that went with somebody's words. */
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
  /** Its place in the record; absent as long as it was only told. */
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
  /** Pieces of it were missed; the whole comes when it is finished. */
  hasGap?: boolean;
  /** One's own words: on the way, or not taken. */
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
  /** Where the next older page starts; absent once all is read. */
  next?: number;
  trouble: Trouble | null;
}

/** As `GET /api/agent/task/<id>` answers. */
export interface TaskPage {
  task?: BrowserTask;
  run: Run | null;
  entries: Entry[];
  next?: number | null;
}

export const emptyConversation: Conversation = { entries: [], run: null, trouble: null };

/** A tool is known by its execution, whatever else it is called. */
export const keyOf = ({ kind, id, tool }: Entry): string => (kind === "tool" ? `tool ${tool?.executionId ?? id}` : `${kind} ${id}`);

/**
 * The newest page, read at the start and after every reconnect: it is the record, and what was told gives way to it.
 * Of what was only told stays what the record can't hold yet: words on their way, and a reply that is being written.
 */
export function takeNewest(known: Conversation, page: TaskPage): Conversation {
  const listed = new Set(page.entries.map(keyOf));
  const first = page.entries[0]?.n ?? Number.POSITIVE_INFINITY;
  const older = known.entries.filter((entry) => entry.n !== undefined && entry.n < first && !listed.has(keyOf(entry)));
  // Where more was added than a page holds, what lies between is not known: older pages are read again from there.
  const isJoined = known.entries.some((entry) => listed.has(keyOf(entry)));
  const isRunning = page.run?.status === "running";
  const told = known.entries.filter((entry) => entry.n === undefined && !listed.has(keyOf(entry)) && (isRunning || entry.sending));
  const before = isJoined ? older : [];
  return withNext({ ...known, entries: [...before, ...page.entries, ...told], run: page.run, trouble: troubleIn(page.run, known.trouble) }, before.length ? known.next : page.next);
}

/** What was told of it says more than what is kept of it. */
function troubleIn(run: Run | null, told: Trouble | null): Trouble | null {
  if (run?.status === "running") return null;
  return run?.trouble ? (told ?? { code: "", message: run.trouble }) : told;
}

/** The line was cut: of a reply that is being written, pieces may have been missed, until it is told from its beginning or as a whole. */
export function afterCut(known: Conversation): Conversation {
  if (!known.entries.some(({ isStreaming }) => isStreaming)) return known;
  return { ...known, entries: known.entries.map((entry) => (entry.isStreaming ? { ...entry, hasGap: true } : entry)) };
}

/** A page of what was before. */
export function takeOlder(known: Conversation, page: TaskPage): Conversation {
  const listed = new Set(known.entries.map(keyOf));
  return withNext({ ...known, entries: [...page.entries.filter((entry) => !listed.has(keyOf(entry))), ...known.entries] }, page.next);
}

/** The last page has no `next`. */
const withNext = ({ next: _, ...known }: Conversation, next: number | null | undefined): Conversation =>
  next === undefined || next === null ? known : { ...known, next };

export function say(known: Conversation, words: { id: string; text: string; at: number; attachments?: readonly Attachment[] }): Conversation {
  const said: Entry = { kind: "user", ...words, sending: "sent" };
  return { ...known, trouble: null, entries: [...known.entries.filter((entry) => keyOf(entry) !== keyOf(said)), said] };
}

/** What became of one's own words: taken, or refused and to be sent again. */
export function settle(known: Conversation, id: string, isTaken: boolean): Conversation {
  const at = placeOf(known, "user", id);
  return at < 0 ? known : changed(known, at, ({ sending: _, ...entry }) => (isTaken ? entry : { ...entry, sending: "refused" }));
}

/** The newest are looked at first: nearly everything is told of them. */
export function placeOf({ entries }: Conversation, kind: Entry["kind"], id: string): number {
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    if (entry.kind === kind && (kind === "tool" ? entry.tool?.executionId : entry.id) === id) return at;
  }
  return -1;
}

/** The others stay the very same objects, so that they need not be drawn again. */
export function changed(known: Conversation, at: number, change: (entry: Entry) => Entry): Conversation {
  const entries = [...known.entries];
  entries[at] = change(entries[at] as Entry);
  return { ...known, entries };
}

const CHUNK = 24;

/** Whether a chunk begins with it is its own doing: neither older nor newer ones move what is drawn already. */
function beginsChunk(key: string): boolean {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) % CHUNK === 0;
}

/** Some dozens of entries each, by the one that each begins with. */
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
