/** browser_press_key: presses one key or key combination, on an element or on the focused element. */

import { staleIfGone } from "../worker/aiming";
import { define } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, hasElement, placeOf } from "../worker/element";
import { refuseForeignAt } from "../worker/foreign_frames";
import { judged } from "../worker/guarding";
import { press } from "../worker/input";
import { parseChord } from "../worker/keys";
import { ask, TOP } from "../worker/page";
import { filled, oneOf, optional, text } from "../worker/shape";

export const browserPressKey = define("browser_press_key", { ...elementParams, key: filled, dialog: optional(oneOf("accept", "dismiss")), promptText: optional(text) }, {
  async run(context, params) {
    const { tabId } = params;
    const chord = parseChord(params.key);
    const isTrusted = await canUseDebugger(context, tabId);
    const place = hasElement(params) ? placeOf("browser_press_key", params) : { frameId: TOP, target: undefined };
    const { frameId, target } = place;
    if (!target) await refuseForeignAt(tabId);
    const dialog = params.dialog && { accept: params.dialog === "accept", ...(params.promptText === undefined ? {} : { promptText: params.promptText }) };
    const changes = await withChanges(context, { tabId, frameId, dialog, isKey: true }, async () => {
      if (!isTrusted) {
        await staleIfGone(ask(tabId, frameId, "press", { ...(target ? { target } : {}), key: chord.key.key, code: chord.key.code, modifiers: chord.modifiers, ...context.expected }));
      } else {
        if (target || context.expected) await staleIfGone(ask(tabId, frameId, "focusElement", { ...(target ? { target } : {}), ...context.expected }));
        await press(tabId, chord);
      }
      await judged(context, tabId, frameId, { isOver: true });
    });
    return { pressed: true, key: params.key, ...changes };
  },
});
