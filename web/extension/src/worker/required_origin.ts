/** The origin at which a tab has to be during an action: the one that the server decided about. */

import { leftSince } from "./departures";
import { Failure } from "./failure";
import { type Journey, journeySince, untilTab } from "./navigation";

/** How long to wait for the page that the tab is on its way to: until it is there, a key could reach either of them. */
const ARRIVAL_MS = 3000;

/** `frameOrigins`: other places that the server has decided about, for frames. */
interface Requirement { origin: string; frameOrigins: readonly string[] }

const requirements = new Map<number, Requirement>();

const originOf = (url: string | undefined): string | undefined => (url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined);

export const requirementOf = (tabId: number): Requirement | undefined => requirements.get(tabId);

/** In the form of `location.origin`. Undefined if any origin is fine. */
export const requiredOrigin = (tabId: number): string | undefined => requirementOf(tabId)?.origin;

/** Refuses if the tab is already at another origin; the server decides about pages that the action leads to. */
export async function atOrigin<T>(tabId: number, expected: string, frameOrigins: readonly string[], currentUrl: string | undefined, work: () => Promise<T>): Promise<T> {
  const origin = originOf(expected) ?? expected;
  if (originOf(currentUrl) !== origin) throw new Failure("INVALID_TARGET", "The tab is at another place than the one that this was decided for: nothing was done.", { moved: true, changed: true, hint: "Look at the page again." }, false);
  requirements.set(tabId, { origin, frameOrigins });
  try {
    return await work();
  } finally {
    requirements.delete(tabId);
  }
}

/**
 * Returns a check to await between the parts of an action: the first part may have led to another origin, where the
 * next one must not run. Created at the beginning, because an action whose page has left may continue after its result
 * was reported.
 */
export function originCheck(tabId: number): () => Promise<void> {
  const origin = requiredOrigin(tabId);
  const begunAt = performance.now();
  return async () => {
    if (origin === undefined) return;
    for (;;) {
      const leftAt = leftSince(tabId, begunAt);
      const isThere = leftAt === undefined || (await untilTab(tabId, ARRIVAL_MS, () => hasEnded(journeySince(tabId, leftAt))));
      const page = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
      if (!isThere || originOf(page?.url) !== origin) throw new Failure("INVALID_TARGET", "The tab went to another place before all of it was done.", { moved: true, mayHaveBeenDone: true, hint: "Look at the page before doing it again." }, false);
      if (leftSince(tabId, begunAt) === leftAt) return; // otherwise it has begun to leave in the meantime
    }
  };
}

const hasEnded = (journey?: Journey): boolean => journey?.committedAt !== undefined || journey?.error !== undefined;
