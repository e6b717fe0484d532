/** From which page a result comes: the server asks its rules about that page, so it is told exactly. */

import type { Action, Result } from "./action";

/** Where the result comes from one document alone, that has told its address with it. */
export async function withProvenance(action: Action, tabId: unknown, work: () => Promise<Result>): Promise<Result> {
  if (typeof tabId !== "number" || action.tellsPage) return await work();
  return await between(tabId, !action.acts, work);
}

/** A document is one page, whatever its address becomes; `pageChanged` when it gave way to another one meanwhile. */
export async function between(tabId: number, isReading: boolean, work: () => Promise<Result>): Promise<Result> {
  const before = isReading ? await pageOf(tabId) : null;
  const result = await work();
  if ("pageUrl" in result) return result;
  const after = await pageOf(tabId);
  if (!after) return result;
  const hasChanged = before !== null && before.documentId !== after.documentId;
  return { ...result, pageUrl: after.url, ...(hasChanged ? { pageChanged: true } : {}) };
}

async function pageOf(tabId: number): Promise<{ url: string; documentId?: string } | null> {
  return (await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null)) ?? null;
}
