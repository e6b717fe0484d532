/** Finds the point in a tab at which the mouse can press an element in any frame, uncovered at every level. */

import type { PageRequest, Point } from "../page/api";
import { Failure } from "./failure";
import { refuseForeignChild } from "./foreign_frames";
import { ask, PageGone, TOP } from "./page";

/**
 * `point` is in the tab's coordinates, `inFrame` in those of the frame that hears the mouse there. `isAlone`: it is in
 * the only known frame of the page. `isInPopup`: it is in something that lies over the page.
 */
export interface Aimed { point: Point; inFrame: Point; isAlone?: boolean; isInPopup?: boolean }

/** Chrome expects the page's own pixels, whatever its zoom. */
export async function aimAt(tabId: number, frameId: number, request: PageRequest<"aim">): Promise<Aimed> {
  const { waitMs } = request;
  if (frameId === TOP) {
    const { point, isAlone = false, isInPopup = false, inner } = await ask(tabId, TOP, "aim", request);
    if (inner) await refuseForeignChild(tabId, TOP, inner.place);
    return { point, inFrame: inner?.point ?? point, isAlone, isInPopup };
  }
  return await untilSameTwice(waitMs, async () => {
    const { point, place, isInPopup = false, inner } = await ask(tabId, frameId, "aim", request);
    if (inner) await refuseForeignChild(tabId, frameId, inner.place);
    return { point: await toTabPoint(tabId, frameId, place, point, waitMs), inFrame: inner?.point ?? point, isInPopup };
  });
}

/** Frames of other sites move independently, so only an answer that repeats is used. */
async function untilSameTwice(waitMs: number, look: () => Promise<Aimed>): Promise<Aimed> {
  const until = performance.now() + waitMs;
  let before: Aimed | Failure | null = null;
  for (;;) {
    const now: Aimed | Failure = await look().catch((error: unknown) => {
      // While its parents scroll, a frame may be covered or out of view for a moment.
      if (error instanceof Failure && error.details["coveredBy"] !== undefined) return error;
      throw error;
    });
    const isLate = performance.now() > until;
    if (now instanceof Failure) {
      if (before instanceof Failure || isLate) throw now;
    } else if (before && !(before instanceof Failure) && isNear(before.point, now.point)) {
      return now;
    } else if (isLate) {
      throw new Failure("INVALID_TARGET", "The frame of this element keeps moving.", { moving: true, hint: "Wait until it stands still." });
    }
    before = now;
  }
}

const isNear = (one: Point, other: Point): boolean => Math.abs(one.x - other.x) < 1 && Math.abs(one.y - other.y) < 1;

/** Converts the point through each parent up to the top; each one checks that nothing covers the frame. */
async function toTabPoint(tabId: number, frameId: number, place: number, point: Point, waitMs: number): Promise<Point> {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  let child = frameId;
  let at = { point, place };
  while (child !== TOP) {
    const parent = frames.find((one) => one.frameId === child)?.parentFrameId;
    if (parent === undefined || parent < 0) throw new Failure("INVALID_TARGET", "The frame of this element is gone.", { stale: true, hint: "Index the page again." });
    at = at.place >= 0 ? await ask(tabId, parent, "frameAt", { ...at, waitMs }) : await viaAnnouncement(tabId, parent, child, { ...at, waitMs });
    child = parent;
  }
  return at.point;
}

async function viaAnnouncement(tabId: number, parent: number, child: number, at: { point: Point; place: number; waitMs: number }) {
  const nonce = crypto.randomUUID();
  const answer = ask(tabId, parent, "frameAt", { ...at, nonce });
  answer.catch(() => undefined);
  await ask(tabId, child, "announce", { nonce });
  return await answer;
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
