/** browser_select_text: selects an element's text or a part of it; Control+c and Control+v copy and paste. */

import { staleIfGone } from "../worker/aiming";
import { define, type Result } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, placeOf } from "../worker/element";
import { ask } from "../worker/page";
import { filled, optional } from "../worker/shape";

export const browserSelectText = define("browser_select_text", { ...elementParams, text: optional(filled) }, {
  async run(context, params): Promise<Result> {
    const { tabId, text } = params;
    await canUseDebugger(context, tabId);
    const { frameId, target } = placeOf("browser_select_text", params);
    let selected = "";
    const changes = await withChanges(context, { tabId, frameId }, async () => {
      selected = await staleIfGone(ask(tabId, frameId, "selectText", { target, ...(text === undefined ? {} : { text }), ...context.expected }));
    });
    return { selected: selected.slice(0, 1000), ...changes };
  },
});
