/** Opens a page and waits until it can be read. */

import type { Context, Result } from "./action";
import { attach, send } from "./debuggee";
import { isDenied } from "./denied_pages";
import { Failure } from "./failure";
import { journeySince, untilTab } from "./navigation";
import { refuseOwnAddress } from "./own_pages";
import { invalid } from "./shape";

/** Only web pages; an extension can't reach the browser's own pages. */
export function checkPage(action: string, url: string): void {
  refuseOwnAddress(url);
  const { protocol } = new URL(url);
  if (protocol === "http:" || protocol === "https:" || url === "about:blank") return;
  if (protocol === "javascript:" || protocol === "data:" || protocol === "blob:") throw invalid(action, [{ field: "url", message: "must be a web page" }]);
  throw new Failure("CDP_PERMISSION_DENIED", `Chrome lets no extension work on ${protocol} pages.`, { hint: "Only http and https pages." });
}

export async function travel({ deadline, warnings }: Context, tabId: number, go: () => Promise<void>): Promise<Result> {
  const moment = performance.now();
  const leaving = go();
  leaving.catch(() => undefined);
  const journey = () => journeySince(tabId, moment);
  const isThere = (): boolean => journey()?.readyAt !== undefined || journey()?.error !== undefined;
  const failed = leaving.then(() => new Promise<never>(() => undefined));
  const hasArrived = await Promise.race([untilTab(tabId, Math.max(0, deadline.left() - 200), isThere), failed]);
  const current = journey();
  // The server applies its own rules to the page.
  if (current?.error && isDenied(tabId, current.url)) return { navigated: true, tabId, url: current.url, pageUrl: current.url };
  if (current?.error && current.committedAt === undefined && !/ABORTED/.test(current.error)) {
    throw new Failure("PLUGIN_ERROR", `The page can't be reached: ${current.error}.`, { url: current.url }, true);
  }
  if (!hasArrived && current?.committedAt === undefined) throw new Failure("NAVIGATION_TIMEOUT", `The page did not answer within ${Math.round(deadline.ms)} ms.`);
  if (!hasArrived) warnings.push("The page is still loading.");
  const tab = await chrome.tabs.get(tabId);
  return { navigated: true, tabId, url: tab.url || current?.url || "" };
}

/** Through the debugger, which answers a page that asks whether it may be left. */
export async function goTo(tabId: number, url: string): Promise<void> {
  // Best effort: the browser's own pages can be left, though not debugged.
  await attach(tabId).catch(() => undefined);
  await chrome.tabs.update(tabId, { url });
}

export async function reload(tabId: number): Promise<void> {
  await attach(tabId).catch(() => undefined);
  await chrome.tabs.reload(tabId);
}

/** One step in the tab's history. */
export async function step(tabId: number, by: -1 | 1): Promise<void> {
  await attach(tabId);
  const { currentIndex, entries } = await send<{ currentIndex: number; entries: { id: number }[] }>(tabId, "Page.getNavigationHistory");
  const entry = entries[currentIndex + by];
  if (!entry) throw new Failure("INVALID_TARGET", by < 0 ? "There is no page to go back to." : "There is no page to go forward to.");
  await send(tabId, "Page.navigateToHistoryEntry", { entryId: entry.id });
}
