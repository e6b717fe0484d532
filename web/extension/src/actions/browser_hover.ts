/** browser_hover: moves the mouse over an element, for content that opens without a click. */

import { aimAt, staleIfGone } from "../worker/aiming";
import { define } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, pointParams, pointTargetOf } from "../worker/element";
import { hover } from "../worker/input";
import { ask } from "../worker/page";

export const browserHover = define("browser_hover", { ...elementParams, ...pointParams }, {
  async run(context, params) {
    const { tabId } = params;
    const isTrusted = await canUseDebugger(context, tabId);
    const { frameId, target, at } = await pointTargetOf("browser_hover", params);
    const waitMs = Math.min(2000, context.deadline.left() / 2);
    const aimed = isTrusted ? await staleIfGone(aimAt(tabId, frameId, { target, purpose: "hover", waitMs, ...(at ? { at } : {}), ...context.expected })) : null;
    const changes = await withChanges(context, { tabId, frameId, isWatched: aimed !== null, isAlone: aimed?.isAlone }, async () => {
      if (aimed) await hover(tabId, aimed);
      else await staleIfGone(ask(tabId, frameId, "hoverInPage", { target, waitMs, ...context.expected }));
    });
    return { hovered: true, ...changes };
  },
});
