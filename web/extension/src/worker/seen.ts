/** What a picture shows, in a short form that an act can be bound to: the page's address, and the element where one is meant. */

import type { Identity } from "../page/api";
import { staleIfGone } from "./aiming";
import { elementParams, hasElement, placeOf } from "./element";
import { Failure } from "./failure";
import { ask } from "./page";
import { parse } from "./shape";
import { checkOwn } from "./tasks";

/** Undefined where the page's address is not known. */
export async function seenAt(tabId: number, element?: Identity): Promise<string | undefined> {
  const page = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  if (!page) return undefined;
  const [address] = page.url.split("#");
  const words = JSON.stringify([address, ...(element ? [element.tag, element.role, element.name] : [])]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(words)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function checkExpected(taskId: string, action: string, given: Record<string, unknown>, expected: string): Promise<void> {
  const params = parse(action, given, elementParams);
  checkOwn(taskId, params.tabId);
  let element: Identity | undefined;
  if (hasElement(params)) {
    const { frameId, target } = placeOf(action, params);
    element = await staleIfGone(ask(params.tabId, frameId, "identify", { target }));
  }
  if ((await seenAt(params.tabId, element)) === expected) return;
  throw new Failure("INVALID_TARGET", "The page or the element is no longer what was shown and allowed.", { changed: true, hint: "Look again, and ask again." });
}
