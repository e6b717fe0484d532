/** browser_scroll: moves the page, or a scrolled part of it; an element alone is brought into view. */

import { staleIfGone } from "../worker/aiming";
import { define } from "../worker/action";
import { elementParams, hasElement, placeOf } from "../worker/element";
import { ask, TOP } from "../worker/page";
import { oneOf, optional, whole } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserScroll = define("browser_scroll", { ...elementParams, direction: optional(oneOf("up", "down", "left", "right")), amount: optional(whole(1, 1_000_000)) }, {
  async run({ taskId, expected }, params) {
    await ownTab(taskId, params.tabId);
    const place = hasElement(params) ? placeOf("browser_scroll", params) : { frameId: TOP, target: undefined };
    const { direction, amount } = params;
    const asked = { ...expected, ...(place.target ? { target: place.target } : {}), ...(direction ? { direction } : {}), ...(amount === undefined ? {} : { amount }) };
    return { scrolled: true, ...(await staleIfGone(ask(params.tabId, place.frameId, "scroll", asked))) };
  },
});
