/** What a picture shows, in a short form that an act is bound to: the page's address, and the element as its page sees it. */

import { Failure } from "./failure";
import { parse } from "./shape";
import { checkOwn } from "./tasks";
import { tabParam } from "./element";
import { parseClickId } from "./click_id";

const isInTopFrame = (tabId: number, { clickId }: Record<string, unknown>): boolean =>
  typeof clickId !== "string" && typeof clickId !== "number" ? true : parseClickId(tabId, String(clickId)).frameId === 0;

/** `element` is the page's own digest. Undefined where the page's address is not known. */
export async function seenAt(tabId: number, element?: string): Promise<string | undefined> {
  const page = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  if (!page) return undefined;
  const [address] = page.url.split("#");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(address)));
  const place = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return element ? `${place}.${element}` : place;
}

/**
 * The tab's page must be the one that was shown. What is left to check is the element, in its page and right before the act. The digest of an
 * element in the top frame has the page's address in it, so that one is compared there.
 */
export async function checkPlace(taskId: string, action: string, given: Record<string, unknown>, expected: string): Promise<string | undefined> {
  const { tabId } = parse(action, given, tabParam);
  checkOwn(taskId, tabId);
  const [place, element] = expected.split(".", 2);
  if (element !== undefined && isInTopFrame(tabId, given)) return element;
  if ((await seenAt(tabId)) === place) return element;
  throw new Failure("INVALID_TARGET", "The page or the element is no longer what was shown and allowed.", { changed: true, hint: "Look again, and ask again." });
}
