/** The place at which a tab has to be while something is done in it: the one that the server has decided about. */

import { Failure } from "./failure";

const held = new Map<number, string>();

const originOf = (url: string | undefined): string | undefined => (url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined);

/** As pages themselves spell it in `location.origin`. Undefined where any place will do. */
export const heldTo = (tabId: number): string | undefined => held.get(tabId);

/** Refuses where the tab is at another place already; what it leads to later is for the server to decide. */
export async function holding<T>(tabId: number, expected: string, there: string | undefined, work: () => Promise<T>): Promise<T> {
  const origin = originOf(expected) ?? expected;
  if (originOf(there) !== origin) throw new Failure("INVALID_TARGET", "The tab is at another place than the one that this was decided for: nothing was done.", { moved: true, changed: true, hint: "Look at the page again." }, false);
  held.set(tabId, origin);
  try {
    return await work();
  } finally {
    held.delete(tabId);
  }
}

/**
 * What to await between the parts of an act: the first may have led elsewhere, where the next one is not meant. It is asked for at the beginning,
 * since an act whose page has left may go on when its result was told already.
 */
export function staying(tabId: number): () => Promise<void> {
  const origin = held.get(tabId);
  return async () => {
    if (origin === undefined) return;
    const page = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
    if (originOf(page?.url) === origin) return;
    throw new Failure("INVALID_TARGET", "The tab went to another place before all of it was done.", { moved: true, mayHaveBeenDone: true, hint: "Look at the page before doing it again." }, false);
  };
}
