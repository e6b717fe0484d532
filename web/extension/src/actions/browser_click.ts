/** browser_click: a trusted click on an element that is visible, still and not covered. */

import { aimAt, staleIfGone } from "../worker/aiming";
import { define } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, placeOf } from "../worker/element";
import { judged, pressedOn } from "../worker/guarding";
import { click, letGoElsewhere, pressMouse, releaseMouse } from "../worker/input";
import { ask } from "../worker/page";
import { oneOf, optional, text } from "../worker/shape";

const STILL_MS = 2000;

export const browserClick = define("browser_click", {
  ...elementParams,
  strategy: optional(oneOf("cdp_mouse", "dom_click")),
  dialog: optional(oneOf("accept", "dismiss")),
  promptText: optional(text),
}, {
  async run(context, params) {
    const { tabId } = params;
    const isTrusted = await canUseDebugger(context, tabId, params.strategy);
    const { frameId, target } = placeOf("browser_click", params);
    const waitMs = Math.min(STILL_MS, context.deadline.left() / 2);
    const dialog = params.dialog && { accept: params.dialog === "accept", ...(params.promptText === undefined ? {} : { promptText: params.promptText }) };
    if (!isTrusted) {
      const changes = await withChanges(context, { tabId, frameId, dialog }, async () => {
        await staleIfGone(ask(tabId, frameId, "clickInPage", { target, waitMs, ...context.expected }));
        await judged(context, tabId, frameId, { isOver: true });
      });
      return { clicked: true, strategy: "dom_click", ...changes };
    }
    const aimed = await staleIfGone(aimAt(tabId, frameId, { target, purpose: "click", waitMs, ...context.expected }));
    await context.lookAround?.();
    const isJudged = context.expected !== undefined;
    const changes = await withChanges(context, { tabId, frameId, dialog, isWatched: true, isClick: true, isJudged }, async () => {
      if (!isJudged) return await click(tabId, aimed);
      // Only the release makes it a click: until then the page can still be found to have changed.
      await pressedOn(context, tabId, frameId, () => pressMouse(tabId, aimed)).catch(async (error: unknown) => {
        await letGoElsewhere(tabId);
        throw error;
      });
      await releaseMouse(tabId, aimed);
    });
    return { clicked: true, strategy: "cdp_mouse", ...changes };
  },
});
