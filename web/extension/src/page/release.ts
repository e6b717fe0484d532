/** What letting go of the mouse has set off: whether the page was changed by it, and whether it leads away from here. */

import { twoFrames } from "./frame_clock";

let releasedAt = Number.POSITIVE_INFINITY;
let isLeaving = false;

/** Hears links, forms, scripts and downloads alike. */
export function watchRelease(): void {
  window.addEventListener("mouseup", () => (releasedAt = performance.now()), true);
  navigation.addEventListener("navigate", () => (isLeaving = true));
}

export function awaitRelease(): void {
  releasedAt = Number.POSITIVE_INFINITY;
  isLeaving = false;
}

/** What moving the mouse there has changed isn't an answer to the click. */
export const isAnswer = (changedAt: number): boolean => changedAt >= releasedAt && !isLeaving;

/**
 * Once everything has run that the page has queued so far; a page that is never done is not waited for.
 * The first frame after an input comes before what the input has queued, so that two are the limit.
 */
export async function drained(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  await Promise.race([scheduler.postTask(() => undefined, { priority: "background" }), twoFrames()]);
}

declare const scheduler: { postTask<T>(work: () => T, options: { priority: "background" }): Promise<T> };
