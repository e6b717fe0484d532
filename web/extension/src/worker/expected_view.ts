/**
 * A digest of what a picture shows, to which an action is bound: the page's address, and the element as its page sees
 * it.
 */

import { Failure } from "./failure";
import { extrasOfParams, extrasDigest } from "./extra_checks";
import { parse } from "./shape";
import { checkOwn } from "./tasks";
import { elementParams, hasElement, pointParams, pointTargetOf, tabParam } from "./element";
import { parseClickId, type Place } from "./click_id";
import { checkAround } from "./frames_around";
import { TOP } from "./page";

/** What remains to be checked in the page; `lookAround` refuses if other frames have changed around the element. */
export interface Expected { element: string | undefined; lookAround: () => Promise<void> }

const isInTopFrame = (tabId: number, { clickId, fields }: Record<string, unknown>): boolean =>
  fields !== undefined ? false : typeof clickId !== "string" && typeof clickId !== "number" ? true : parseClickId(tabId, String(clickId)).frameId === 0;

/**
 * `element` is the page's own digest, `beyond` that of the frames around it, `more` that of the extra checks.
 * Undefined if the page's address is unknown.
 */
export async function digestAt(tabId: number, element?: string, beyond?: string, more?: string): Promise<string | undefined> {
  const page = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  if (!page) return undefined;
  const [address] = page.url.split("#");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(address)));
  const place = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const digest = [place, ...(element ? [element] : []), ...(element && beyond ? [beyond] : [])].join(".");
  return more ? `${digest}+${more}` : digest;
}

/**
 * The tab's page must be the one that was shown. The element remains to be checked in its page, right before the
 * action. For an element in the top frame, the digest includes the page's address, so the address is compared there.
 */
export async function checkExpected(taskId: string, action: string, params: Record<string, unknown>, expected: string): Promise<Expected> {
  const { tabId } = parse(action, params, tabParam);
  checkOwn(taskId, tabId);
  const [seen = "", more] = expected.split("+", 2);
  const [place, element, beyond] = seen.split(".", 3);
  const lookAround = async (): Promise<void> => {
    if (beyond !== undefined) await checkAround(tabId, await placeOfTarget(action, params), beyond);
  };
  const isSame = more === undefined || (await extrasDigest(tabId, await extrasOfParams(tabId, params))) === more;
  if (isSame && ((element !== undefined && isInTopFrame(tabId, params)) || (await digestAt(tabId)) === place)) {
    await lookAround();
    return { element, lookAround };
  }
  throw new Failure("INVALID_TARGET", "The page or the element is no longer what was shown and allowed.", { changed: true, hint: "Look again, and ask again." });
}

/** The outlined element: the named one, the first of several fields, the one at a point, or the focused one. */
async function placeOfTarget(action: string, input: Record<string, unknown>): Promise<Partial<Place> & { frameId: number }> {
  const [first] = (input["fields"] as { clickId: string }[] | undefined) ?? [];
  const [point] = (input["path"] as [number, number][] | undefined) ?? [];
  const params = parse(action, { ...input, ...(first ? { clickId: first.clickId } : {}), ...(point ? { x: point[0], y: point[1] } : {}) }, { ...elementParams, ...pointParams });
  return hasElement(params) || params.x !== undefined ? await pointTargetOf(action, params) : { frameId: TOP };
}
