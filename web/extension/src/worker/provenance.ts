/** From which page a result comes: the server asks its rules about it, so it is told exactly. */

import type { Action, Result } from "./action";
import { Failure, failureOf } from "./failure";

/** Where a result comes from one document alone, that has told its address with it. */
export async function withProvenance(action: Action, given: unknown, work: () => Promise<Result>): Promise<Result> {
  const working = typeof given === "number" && !action.tellsPage ? between(given, !action.acts, work) : work();
  const result = await working.catch(async (error: unknown) => {
    throw await explained(error, given);
  });
  const tabId = typeof given === "number" ? given : result["tabId"];
  if (typeof tabId !== "number") return result;
  return await between(tabId, false, () => Promise.resolve(result));
}

/** A document is one page, whatever its address becomes; `pageChanged` when it gave way to another one meanwhile. */
export async function between(tabId: number, isReading: boolean, work: () => Promise<Result>): Promise<Result> {
  // Asked first, and answered in order: nothing has to wait for it.
  const asked = isReading ? pageOf(tabId) : null;
  const result = await work();
  if ("pageUrl" in result) return result;
  const [before, after] = await Promise.all([asked, pageOf(tabId)]);
  if (!after) return result;
  const hasChanged = before !== null && before.documentId !== after.documentId;
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
