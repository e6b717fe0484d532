/** Which prompts wait, in which order, and which one is shown: it never changes by itself. */

import type { PromptEntry, RequestEntry, ResponseEntry } from "@handrail/host";

export interface Asked {
  request: RequestEntry;
  response?: ResponseEntry;
  /** The server lists it as pending no more, and its answer has not been seen. */
  isGone?: boolean;
  /** An answer was given here as well, and refused because another was first. */
  isTooLate?: boolean;
}

export const isSettled = (asked: Asked | undefined): boolean => !asked || asked.isGone === true || asked.response !== undefined;

export interface Queue {
  /** Everything known, by requestId. */
  asked: ReadonlyMap<string, Asked>;
  /** The pending ones and the shown one, oldest first; positions never change. */
  order: readonly string[];
  /** Stays until the person moves on, even when somebody else answers it. */
  shown: string | null;
  /** Those of `asked` that have an answer, the newest first. */
  answered: readonly Asked[];
  /** Responses whose request is on an older page of the log that was not read yet. */
  early: ReadonlyMap<string, ResponseEntry>;
}

export const emptyQueue: Queue = { asked: new Map(), order: [], shown: null, answered: [], early: new Map() };

export function pendingCount(queue: Queue): number {
  return queue.order.reduce((count, id) => count + (isSettled(queue.asked.get(id)) ? 0 : 1), 0);
}

/** Takes in entries in the order of the log. A response that came before its request is kept for it. */
export function receive(queue: Queue, entries: readonly PromptEntry[]): Queue {
  if (entries.length === 0) return queue;
  const asked = new Map(queue.asked);
  const order = [...queue.order];
  const early = new Map(queue.early);
  const changed = new Map<string, Asked>();
  const put = (one: Asked): void => {
    asked.set(one.request.requestId, one);
    if (one.response) changed.set(one.request.requestId, one);
  };
  for (const entry of entries) {
    const known = asked.get(entry.requestId);
    if (entry.action === "request") {
      if (!known) {
        const response = early.get(entry.requestId);
        early.delete(entry.requestId);
        put(response ? { request: entry, response } : { request: entry });
        order.push(entry.requestId);
      } else if (entry.caller !== known.request.caller) {
        put({ ...known, request: { ...known.request, ...callerOf(entry) } });
      }
    } else if (!known) {
      const before = early.get(entry.requestId);
      if (!before || isEarlier(entry, before)) early.set(entry.requestId, entry);
    } else if (!known.response || isEarlier(entry, known.response)) {
      put({ ...known, response: entry });
    }
  }
  return settle({ asked, order, shown: queue.shown, answered: merged(queue.answered, changed), early });
}

/** The first response wins, and older pages come later; the same one may come again when more is known of it. */
function isEarlier(one: ResponseEntry, other: ResponseEntry): boolean {
  return one.offset !== undefined && (other.offset === undefined || one.offset <= other.offset);
}

/**
 * After a reload: what the server no longer lists as pending is not pending.
 * `knownBefore` are the prompts known when the list was asked for: one that arrived meanwhile can't be on it.
 */
export function replacePending(queue: Queue, pending: readonly RequestEntry[], knownBefore: readonly string[]): Queue {
  const listed = new Set(pending.map((entry) => entry.requestId));
  const asked = new Map(queue.asked);
  for (const id of knownBefore) {
    const known = asked.get(id);
    if (known && !known.response && !listed.has(id)) asked.set(id, { ...known, isGone: true });
  }
  return settle(receive({ ...queue, asked }, pending));
}

export function markTooLate(queue: Queue, requestId: string): Queue {
  const known = queue.asked.get(requestId);
  return known ? { ...queue, asked: new Map(queue.asked).set(requestId, { ...known, isTooLate: true }) } : queue;
}

/** The next prompt that waits, in order and around the end; the settled one leaves. */
export function moveOn(queue: Queue): Queue {
  const at = queue.shown ? queue.order.indexOf(queue.shown) : -1;
  const after = [...queue.order.slice(at + 1), ...queue.order.slice(0, Math.max(at, 0))];
  const next = after.find((id) => !isSettled(queue.asked.get(id))) ?? null;
  return settle({ ...queue, shown: next });
}

/** The person steps through the queue: `step` 1 or -1; stays where it is at the ends. */
export function step(queue: Queue, by: 1 | -1): Queue {
  const at = queue.shown ? queue.order.indexOf(queue.shown) : -1;
  const target = queue.order[at + by];
  return target === undefined ? queue : settle({ ...queue, shown: target });
}

export function show(queue: Queue, requestId: string): Queue {
  return queue.order.includes(requestId) ? settle({ ...queue, shown: requestId }) : queue;
}

/** Answered prompts leave the order, except the one that somebody is looking at. */
function settle(queue: Queue): Queue {
  const order = queue.order.filter((id) => id === queue.shown || !isSettled(queue.asked.get(id)));
  return { ...queue, order, shown: queue.shown ?? firstOf(order, queue.asked) };
}

/** What somebody waits for comes before what is only to be read. */
function firstOf(order: readonly string[], asked: Queue["asked"]): string | null {
  return order.find((id) => asked.get(id)?.request.prompt.kind !== "result") ?? order[0] ?? null;
}

/** Both lists are in order: a page more costs one pass, however long the history has become. */
function merged(known: readonly Asked[], changed: ReadonlyMap<string, Asked>): readonly Asked[] {
  if (changed.size === 0) return known;
  const fresh = [...changed.values()].sort((a, b) => (isNewer(a, b) ? -1 : 1));
  const all: Asked[] = [];
  let next = 0;
  for (const one of known) {
    if (changed.has(one.request.requestId)) continue;
    for (let other = fresh[next]; other && isNewer(other, one); other = fresh[++next]) all.push(other);
    all.push(one);
  }
  return [...all, ...fresh.slice(next)];
}

/** An answer of our own has no place in the log yet, and is the newest. */
function isNewer({ response: one }: Asked, { response: other }: Asked): boolean {
  return (one?.offset ?? Number.POSITIVE_INFINITY) > (other?.offset ?? Number.POSITIVE_INFINITY);
}

function callerOf(entry: RequestEntry): Pick<RequestEntry, "caller"> {
  return entry.caller === undefined ? {} : { caller: entry.caller };
}
