/**
 * Reports exactly which page a result comes from, because the server applies its rules to that page. Nothing is
 * reported about handrail's own pages.
 */

import type { Action, Result } from "./action";
import { Failure, failureOf } from "./failure";
import { type TabDocument, requireForeignPage, refuseOwnAddress } from "./own_pages";

/**
 * A document is one page, even if its address changes; `pageChanged` if another document replaced it during the read.
 * `isAboutPage`: the action reads the tab's page or acts on it. `work` gets a promise for the permission, so that
 * reading can begin before it is known.
 */
export async function withProvenance(action: Action, tabParam: unknown, isAboutPage: boolean, work: (allowed: Promise<TabDocument | null>) => Promise<Result>): Promise<Result> {
  const before = isAboutPage && typeof tabParam === "number" ? requireForeignPage(tabParam) : Promise.resolve(null);
  before.catch(() => undefined); // awaited below, or by the work
  const result = await work(before).catch(async (error: unknown) => {
    await before;
    throw await explainEmptyTab(error, tabParam);
  });
  const isReading = isAboutPage && !action.acts;
  if (isReading) await before;
  const reportedUrl = result["pageUrl"];
  if (isReading && typeof reportedUrl === "string") refuseOwnAddress(reportedUrl);
  const tabId = typeof tabParam === "number" ? tabParam : result["tabId"];
  if (reportedUrl !== undefined || typeof tabId !== "number") return result;
  const [first, after] = await Promise.all([isReading ? before : null, isReading ? requireForeignPage(tabId) : pageOf(tabId)]);
  if (after?.url === undefined) return result;
  const hasChanged = first?.documentId !== undefined && first.documentId !== after.documentId;
  return { ...result, pageUrl: after.url, ...(hasChanged ? { pageChanged: true } : {}) };
}

/** An empty tab was just opened, or emptied because its page isn't allowed; Chrome allows no script in it. */
async function explainEmptyTab(error: unknown, tabId: unknown): Promise<unknown> {
  if (failureOf(error).code !== "CDP_PERMISSION_DENIED" || typeof tabId !== "number") return error;
  if ((await pageOf(tabId))?.url !== "about:blank") return error;
  return new Failure("INVALID_TARGET", `Tab ${tabId} is empty (about:blank): there is nothing to read or act on.`, { empty: true, hint: "browser_navigate takes it to a page." });
}

async function pageOf(tabId: number): Promise<{ url: string; documentId?: string } | null> {
  return (await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null)) ?? null;
}
