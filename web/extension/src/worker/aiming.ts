/** From an element in any frame to a point of the tab that the mouse can press, free at every level. */

import type { Point, Target } from "../page/api";
import { Failure } from "./failure";
import { ask, PageGone, TOP } from "./page";

/** `point` is in the tab's coordinates, `inFrame` in those of the element's own frame. */
export interface Aimed { point: Point; inFrame: Point }

/** Chrome takes the page's own pixels, whatever its zoom. */
export async function aimAt(tabId: number, frameId: number, target: Target, purpose: "click" | "hover", waitMs: number): Promise<Aimed> {
  const { point, place } = await ask(tabId, frameId, "aim", { target, purpose, waitMs });
  const outer = frameId === TOP ? point : await outwards(tabId, frameId, place, point);
  return { point: outer, inFrame: point };
}

/** Through each parent in turn, up to the top; each of them checks that nothing lies over the frame. */
async function outwards(tabId: number, frameId: number, place: number, point: Point): Promise<Point> {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  let child = frameId;
  let at = { point, place };
  while (child !== TOP) {
    const parent = frames.find((one) => one.frameId === child)?.parentFrameId;
    if (parent === undefined || parent < 0) throw new Failure("INVALID_TARGET", "The frame of this element is gone.", { stale: true, hint: "Index the page again." });
    at = at.place >= 0 ? await ask(tabId, parent, "frameAt", at) : await byAnnouncement(tabId, parent, child, at);
    child = parent;
  }
  return at.point;
}

async function byAnnouncement(tabId: number, parent: number, child: number, at: { point: Point; place: number }) {
  const nonce = crypto.randomUUID();
  const found = ask(tabId, parent, "frameAt", { ...at, nonce });
  await ask(tabId, child, "announce", { nonce });
  return await found;
}

/** A frame that is gone means a stale element, never another one. */
export async function staleIfGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PageGone) throw new Failure("INVALID_TARGET", "The document of this element is gone.", { stale: true, hint: "Index the page again." });
    throw error;
  }
}
