/** From which page a result comes: the server asks its rules about it, so it is told exactly; nothing is told of handrail's own pages. */

import type { Action, Result } from "./action";
import { Failure, failureOf } from "./failure";
import { type Look, lookAt, refuseOwnAddress } from "./own_pages";

/**
 * A document is one page, whatever its address becomes; `pageChanged` when it gave way to another one while it was read.
 *
 * `isAboutPage`: it reads the page of the tab or acts on it. `work` gets the answer to whether it may: what only reads can begin before that is known.
 */
export async function withProvenance(action: Action, given: unknown, isAboutPage: boolean, work: (allowed: Promise<Look | null>) => Promise<Result>): Promise<Result> {
  const before = isAboutPage && typeof given === "number" ? lookAt(given) : Promise.resolve(null);
  before.catch(() => undefined); // awaited below, or by the work
  const result = await work(before).catch(async (error: unknown) => {
    await before;
    throw await explained(error, given);
  });
  const isReading = isAboutPage && !action.acts;
  if (isReading) await before;
  const told = result["pageUrl"];
  if (isReading && typeof told === "string") refuseOwnAddress(told);
  const tabId = typeof given === "number" ? given : result["tabId"];
  if (told !== undefined || typeof tabId !== "number") return result;
  const [first, after] = await Promise.all([isReading ? before : null, isReading ? lookAt(tabId) : pageOf(tabId)]);
  if (after?.url === undefined) return result;
  const hasChanged = first?.documentId !== undefined && first.documentId !== after.documentId;
  return { ...result, pageUrl: after.url, ...(hasChanged ? { pageChanged: true } : {}) };
}

/** An empty tab is one that was just opened, or emptied because its page is not allowed: Chrome lets no script into it. */
async function explained(error: unknown, tabId: unknown): Promise<unknown> {
  if (failureOf(error).code !== "CDP_PERMISSION_DENIED" || typeof tabId !== "number") return error;
  if ((await pageOf(tabId))?.url !== "about:blank") return error;
  return new Failure("INVALID_TARGET", `Tab ${tabId} is empty (about:blank): there is nothing to read or act on.`, { empty: true, hint: "browser_navigate takes it to a page." });
}

async function pageOf(tabId: number): Promise<{ url: string; documentId?: string } | null> {
  return (await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null)) ?? null;
}
