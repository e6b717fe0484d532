/**
 * browser_click: a trusted click on an element that is visible, still and uncovered, on a point of it, or on a point
 * of the viewport.
 */

import { aimAt, staleIfGone } from "../worker/aiming";
import { define } from "../worker/action";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, pointParams, pointTargetOf } from "../worker/element";
import { Failure } from "../worker/failure";
import { judged, pressedOn } from "../worker/guarding";
import { click, letGoElsewhere, modifierBits, type Press, pressMouse, releaseMouse } from "../worker/input";
import { ask } from "../worker/page";
import { fallback, listOf, oneOf, optional, text, whole } from "../worker/shape";

const STILL_MS = 2000;

const isPlain = ({ button, clicks, modifiers, holdMs }: Press): boolean => button === "left" && clicks === 1 && !modifiers && !holdMs;

export const browserClick = define("browser_click", {
  ...elementParams,
  strategy: optional(oneOf("cdp_mouse", "dom_click")),
  dialog: optional(oneOf("accept", "dismiss")),
  promptText: optional(text),
  ...pointParams,
  button: fallback(oneOf("left", "right", "middle"), "left"),
  clicks: fallback(whole(1, 3), 1),
  modifiers: fallback(listOf(oneOf("Alt", "Control", "Meta", "Shift")), []),
  holdMs: fallback(whole(0, 5000), 0),
}, {
  async run(context, params) {
    const { tabId } = params;
    const isTrusted = await canUseDebugger(context, tabId, params.strategy);
    const { frameId, target, at } = await pointTargetOf("browser_click", params);
    const press = { button: params.button, clicks: params.clicks, modifiers: modifierBits(params.modifiers), holdMs: params.holdMs };
    const waitMs = Math.min(STILL_MS, context.deadline.left() / 2);
    const dialog = params.dialog && { accept: params.dialog === "accept", ...(params.promptText === undefined ? {} : { promptText: params.promptText }) };
    if (!isTrusted) {
      if (at || press.button !== "left" || press.clicks > 1 || press.modifiers || press.holdMs) throw new Failure("CDP_UNAVAILABLE", "Only a plain click on an element can be made without the debugger.");
      const changes = await withChanges(context, { tabId, frameId, dialog }, async () => {
        await staleIfGone(ask(tabId, frameId, "clickInPage", { target, waitMs, ...context.expected }));
        await judged(context, tabId, frameId, { isOver: true });
      });
      return { clicked: true, strategy: "dom_click", ...changes };
    }
    const aimed = await staleIfGone(aimAt(tabId, frameId, { target, purpose: "click", waitMs, ...(at ? { at } : {}), ...context.expected }));
    await context.lookAround?.();
    const isJudged = context.expected !== undefined;
    const changes = await withChanges(context, { tabId, frameId, dialog, isWatched: true, isAlone: aimed.isAlone, isClick: true, isOne: press.button === "left" && press.clicks === 1, isJudged }, async () => {
      // Without frames, every event reaches a page where the guard hears it first and can stop the click itself. That
      // saves a redraw in between.
      const isHeard = isJudged && !context.hasFrames && aimed.isAlone === true && isPlain(press);
      if (!isJudged || isHeard) return await click(tabId, aimed, press);
      // A frame may receive the mouse press, where the guard can't hear it. Only the release makes it a click, so
      // until then nothing has happened.
      await pressedOn(context, tabId, frameId, () => pressMouse(tabId, aimed, press)).catch(async (error: unknown) => {
        await letGoElsewhere(tabId);
        throw error;
      });
      await releaseMouse(tabId, aimed, press);
    });
    return { clicked: true, strategy: "cdp_mouse", ...changes };
  },
});
