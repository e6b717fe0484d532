/** What a picture shows, in a short form that an act is bound to: the page's address, and the element as its page sees it. */

import { Failure } from "./failure";
import { moreIn, moreSeen } from "./more_seen";
import { parse } from "./shape";
import { checkOwn } from "./tasks";
import { elementParams, hasElement, pointParams, spotOf, tabParam } from "./element";
import { parseClickId, type Place } from "./click_id";
import { checkAround } from "./frames_around";
import { TOP } from "./page";

/** What is left to check in the page; `lookAround` refuses where other frames have changed around the element. */
export interface Expected { element: string | undefined; lookAround: () => Promise<void> }

const isInTopFrame = (tabId: number, { clickId, fields }: Record<string, unknown>): boolean =>
  fields !== undefined ? false : typeof clickId !== "string" && typeof clickId !== "number" ? true : parseClickId(tabId, String(clickId)).frameId === 0;

/** `element` is the page's own digest, `beyond` that of frames around it, `more` that of what else it is bound to. Undefined where the page's address is not known. */
export async function seenAt(tabId: number, element?: string, beyond?: string, more?: string): Promise<string | undefined> {
  const page = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  if (!page) return undefined;
  const [address] = page.url.split("#");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(address)));
  const place = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const seen = [place, ...(element ? [element] : []), ...(element && beyond ? [beyond] : [])].join(".");
  return more ? `${seen}+${more}` : seen;
}

/**
 * The tab's page must be the one that was shown. What is left to check is the element, in its page and right before the act. The digest of an
 * element in the top frame has the page's address in it, so that one is compared there.
 */
export async function checkPlace(taskId: string, action: string, given: Record<string, unknown>, expected: string): Promise<Expected> {
  const { tabId } = parse(action, given, tabParam);
  checkOwn(taskId, tabId);
  const [seen = "", more] = expected.split("+", 2);
  const [place, element, beyond] = seen.split(".", 3);
  const lookAround = async (): Promise<void> => {
    if (beyond !== undefined) await checkAround(tabId, await meant(action, given), beyond);
  };
  const isSame = more === undefined || (await moreSeen(tabId, await moreIn(tabId, given))) === more;
  if (isSame && ((element !== undefined && isInTopFrame(tabId, given)) || (await seenAt(tabId)) === place)) {
    await lookAround();
    return { element, lookAround };
  }
  throw new Failure("INVALID_TARGET", "The page or the element is no longer what was shown and allowed.", { changed: true, hint: "Look again, and ask again." });
}

/** The element that was outlined: the one that is named, the first of several fields, the one at a point, or what has the focus. */
async function meant(action: string, given: Record<string, unknown>): Promise<Partial<Place> & { frameId: number }> {
  const [first] = (given["fields"] as { clickId: string }[] | undefined) ?? [];
  const [point] = (given["path"] as [number, number][] | undefined) ?? [];
  const params = parse(action, { ...given, ...(first ? { clickId: first.clickId } : {}), ...(point ? { x: point[0], y: point[1] } : {}) }, { ...elementParams, ...pointParams });
  return hasElement(params) || params.x !== undefined ? await spotOf(action, params) : { frameId: TOP };
}
