/** From which page a result comes, and by way of which: the server asks its rules about each, so it is told exactly. */

import type { Action, Result } from "./action";
import { Failure, failureOf } from "./failure";
import { hopsBefore } from "./hops";

/** A document is one page, whatever its address becomes; `pageChanged` when it gave way to another one meanwhile. */
export async function withProvenance(action: Action, given: unknown, work: () => Promise<Result>): Promise<Result> {
  const moment = performance.now();
  const before = typeof given === "number" && !action.acts ? await pageOf(given) : null;
  const result = await work().catch(async (error: unknown) => {
    throw await explained(error, given);
  });
  const tabId = typeof given === "number" ? given : result["tabId"];
  const after = typeof tabId === "number" ? await pageOf(tabId) : null;
  if (typeof tabId !== "number" || !after) return result;
  const hasChanged = before !== null && before.documentId !== after.documentId;
  const hops = hopsBefore(tabId, moment, after.url);
  return { ...result, pageUrl: after.url, ...(hasChanged ? { pageChanged: true } : {}), ...(hops.length ? { hops } : {}) };
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
