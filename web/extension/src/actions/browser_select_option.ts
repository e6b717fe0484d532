/** browser_select_option: chooses in a <select>, by value or label, all of them or none. */

import { staleIfGone } from "../worker/aiming";
import { define, type Result } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, placeOf } from "../worker/element";
import { ask } from "../worker/page";
import { listOf, text } from "../worker/shape";

export const browserSelectOption = define("browser_select_option", { ...elementParams, values: listOf(text) }, {
  async run(context, params): Promise<Result> {
    const { tabId, values } = params;
    await canUseDebugger(context, tabId);
    const { frameId, target } = placeOf("browser_select_option", params);
    let selected: string[] = [];
    const changes = await withChanges(context, { tabId, frameId }, async () => {
      selected = await staleIfGone(ask(tabId, frameId, "select", { target, values, ...context.expected }));
    });
    return { selected, ...changes };
  },
});
