/** Which prompts are pending, in which order, and which one is shown; that one never changes by itself. */

import type { PromptEntry, RequestEntry, ResponseEntry } from "@handrail/host";

export interface QueuedPrompt {
  request: RequestEntry;
  response?: ResponseEntry;
  /** The server no longer lists it as pending, and its answer hasn't been seen. */
  isGone?: boolean;
  /** An answer was also given here, and refused because another was first. */
  isTooLate?: boolean;
}

export const isSettled = (asked: QueuedPrompt | undefined): boolean => !asked || asked.isGone === true || asked.response !== undefined;

export interface Queue {
  /** All known prompts, by requestId. */
  prompts: ReadonlyMap<string, QueuedPrompt>;
  /** The pending ones and the shown one, oldest first; positions never change. */
  order: readonly string[];
  /** Stays until the person moves on, even if it is answered elsewhere. */
  shown: string | null;
  /** Those of `asked` that have an answer, newest first. */
  answered: readonly QueuedPrompt[];
  /** Responses whose request is on an older page of the log that hasn't been read yet. */
  early: ReadonlyMap<string, ResponseEntry>;
}

export const emptyQueue: Queue = { prompts: new Map(), order: [], shown: null, answered: [], early: new Map() };

export function pendingCount(queue: Queue): number {
  return queue.order.reduce((count, id) => count + (isSettled(queue.prompts.get(id)) ? 0 : 1), 0);
}

/** Processes entries in the order of the log. A response that came before its request is kept for it. */
export function receive(queue: Queue, entries: readonly PromptEntry[]): Queue {
  if (entries.length === 0) return queue;
  const prompts = new Map(queue.prompts);
  const order = [...queue.order];
  const early = new Map(queue.early);
  const changed = new Map<string, QueuedPrompt>();
  const put = (one: QueuedPrompt): void => {
    prompts.set(one.request.requestId, one);
    if (one.response) changed.set(one.request.requestId, one);
  };
  for (const entry of entries) {
    const existing = prompts.get(entry.requestId);
    if (entry.action === "request") {
      if (!existing) {
        const response = early.get(entry.requestId);
        early.delete(entry.requestId);
        put(response ? { request: entry, response } : { request: entry });
        order.push(entry.requestId);
      } else if (entry.caller !== existing.request.caller) {
        put({ ...existing, request: { ...existing.request, ...callerOf(entry) } });
      }
    } else if (!existing) {
      const before = early.get(entry.requestId);
      if (!before || isEarlier(entry, before)) early.set(entry.requestId, entry);
    } else if (!existing.response || isEarlier(entry, existing.response)) {
      put({ ...existing, response: entry });
    }
  }
  return settle({ prompts, order, shown: queue.shown, answered: mergeAnswered(queue.answered, changed), early });
}

/** The first response wins, and older pages come later; the same one may come again with more data. */
function isEarlier(one: ResponseEntry, other: ResponseEntry): boolean {
  return one.offset !== undefined && (other.offset === undefined || one.offset <= other.offset);
}

/**
 * After a reload: what the server no longer lists as pending isn't pending. `knownBefore` are the prompts that were
 * known when the list was requested; one that arrived since can't be on it.
 */
export function replacePending(queue: Queue, pending: readonly RequestEntry[], knownBefore: readonly string[]): Queue {
  const listed = new Set(pending.map((entry) => entry.requestId));
  const prompts = new Map(queue.prompts);
  for (const id of knownBefore) {
    const existing = prompts.get(id);
    if (existing && !existing.response && !listed.has(id)) prompts.set(id, { ...existing, isGone: true });
  }
  return settle(receive({ ...queue, prompts }, pending));
}

export function markTooLate(queue: Queue, requestId: string): Queue {
  const existing = queue.prompts.get(requestId);
  return existing ? { ...queue, prompts: new Map(queue.prompts).set(requestId, { ...existing, isTooLate: true }) } : queue;
}

/** Shows the next pending prompt, in order and around the end; the settled one leaves. */
export function moveOn(queue: Queue): Queue {
  const at = queue.shown ? queue.order.indexOf(queue.shown) : -1;
  const after = [...queue.order.slice(at + 1), ...queue.order.slice(0, Math.max(at, 0))];
  const next = after.find((id) => !isSettled(queue.prompts.get(id))) ?? null;
  return settle({ ...queue, shown: next });
}

/** Steps through the queue by 1 or -1; stays in place at the ends. */
export function step(queue: Queue, by: 1 | -1): Queue {
  const at = queue.shown ? queue.order.indexOf(queue.shown) : -1;
  const target = queue.order[at + by];
  return target === undefined ? queue : settle({ ...queue, shown: target });
}

export function show(queue: Queue, requestId: string): Queue {
  return queue.order.includes(requestId) ? settle({ ...queue, shown: requestId }) : queue;
}

/** Answered prompts leave the order, except the one that is shown. */
function settle(queue: Queue): Queue {
  const order = queue.order.filter((id) => id === queue.shown || !isSettled(queue.prompts.get(id)));
  return { ...queue, order, shown: queue.shown ?? firstOf(order, queue.prompts) };
}

/** Prompts that a program waits for come before those that are only to be read. */
function firstOf(order: readonly string[], asked: Queue["prompts"]): string | null {
  return order.find((id) => asked.get(id)?.request.prompt.kind !== "result") ?? order[0] ?? null;
}

/** Both lists are sorted, so a page more costs one pass, however long the history is. */
function mergeAnswered(known: readonly QueuedPrompt[], changed: ReadonlyMap<string, QueuedPrompt>): readonly QueuedPrompt[] {
  if (changed.size === 0) return known;
  const fresh = [...changed.values()].sort((a, b) => (isNewer(a, b) ? -1 : 1));
  const all: QueuedPrompt[] = [];
  let next = 0;
  for (const one of known) {
    if (changed.has(one.request.requestId)) continue;
    for (let other = fresh[next]; other && isNewer(other, one); other = fresh[++next]) all.push(other);
    all.push(one);
  }
  return [...all, ...fresh.slice(next)];
}

/** An answer of this page has no place in the log yet, and is the newest. */
function isNewer({ response: one }: QueuedPrompt, { response: other }: QueuedPrompt): boolean {
  return (one?.offset ?? Number.POSITIVE_INFINITY) > (other?.offset ?? Number.POSITIVE_INFINITY);
}

function callerOf(entry: RequestEntry): Pick<RequestEntry, "caller"> {
  return entry.caller === undefined ? {} : { caller: entry.caller };
}
