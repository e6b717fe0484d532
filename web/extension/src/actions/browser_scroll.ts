/** browser_scroll: scrolls the page or a part of it; without a direction, an element is scrolled into view. */

import { aimAt, staleIfGone } from "../worker/aiming";
import { type Context, define, type Result } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, type ElementParams, elementParams, hasElement, placeOf } from "../worker/element";
import { wheel } from "../worker/input";
import { ask, TOP } from "../worker/page";
import { fallback, flag, oneOf, optional, whole } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserScroll = define("browser_scroll", { ...elementParams, direction: optional(oneOf("up", "down", "left", "right")), amount: optional(whole(1, 1_000_000)), wheel: fallback(flag, false) }, {
  async run(context, params) {
    const { taskId, expected } = context;
    await ownTab(taskId, params.tabId);
    if (params.wheel) return await scrollByWheel(context, params);
    const place = hasElement(params) ? placeOf("browser_scroll", params) : { frameId: TOP, target: undefined };
    const { direction, amount } = params;
    const request = { ...expected, ...(place.target ? { target: place.target } : {}), ...(direction ? { direction } : {}), ...(amount === undefined ? {} : { amount }) };
    return { scrolled: true, ...(await staleIfGone(ask(params.tabId, place.frameId, "scroll", request))) };
  },
});

/** Scrolls with the mouse wheel, as a person does: maps zoom, and lists load more. */
async function scrollByWheel(context: Context, params: ElementParams & { direction?: string | undefined; amount?: number | undefined }): Promise<Result> {
  const { tabId, direction = "down", amount = 400 } = params;
  await canUseDebugger(context, tabId, "cdp_wheel");
  const { frameId, target } = placeOf("browser_scroll", params);
  const by = direction === "up" || direction === "left" ? -amount : amount;
  const isSideways = direction === "left" || direction === "right";
  const aimed = await staleIfGone(aimAt(tabId, frameId, { target, purpose: "hover", waitMs: 1000, ...context.expected }));
  const changes = await withChanges(context, { tabId, frameId, isWatched: true, isAlone: aimed.isAlone, isKey: true }, () => wheel(tabId, aimed, isSideways ? by : 0, isSideways ? 0 : by));
  return { scrolled: true, x: 0, y: 0, atEnd: false, ...changes };
}
