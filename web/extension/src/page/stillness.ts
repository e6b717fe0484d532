/** Waits until an element stands still: the same box on two frames in a row, and no animation about to move it. */

import { describe } from "./description";
import { noTarget } from "./failure";
import { nextFrame } from "./frame_clock";
import { boxOf, isSameBox } from "./geometry";
import { containsAcross } from "./shadow";

export async function untilStill(element: Element, waitMs: number): Promise<void> {
  const until = performance.now() + waitMs;
  let before = boxOf(element);
  for (let still = 0; still < 2; ) {
    await nextFrame();
    if (!element.isConnected) throw noTarget("The element left the page while it was waited for.", { stale: true, hint: "Index the page again." });
    const now = boxOf(element);
    still = isSameBox(before, now) && !isAnimated(element, false) ? still + 1 : 0;
    before = now;
    if (still < 2 && performance.now() > until) throw noTarget(`${describe(element)} keeps moving.`, { moving: true, hint: "Wait until it stands still." });
  }
}

/** An endless animation, such as a pulse, isn't waited for; its effect on the box is seen in the box. */
export function isAnimated(element: Element, withEndless: boolean): boolean {
  return document.getAnimations().some(({ effect, playState }) => {
    const target = effect instanceof KeyframeEffect ? effect.target : null;
    if (playState !== "running" || target === null || !containsAcross(target, element)) return false;
    return withEndless || effect!.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
  });
}
