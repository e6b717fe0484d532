/** browser_type: text of any script into a field, in place of what it holds; `append` keeps that. */

import { staleIfGone } from "../worker/aiming";
import { type Context, define, type Result } from "../worker/action";
import { Failure } from "../worker/failure";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, hasElement, placeOf } from "../worker/element";
import { judged } from "../worker/guarding";
import { enter, press, type } from "../worker/input";
import { ask, TOP } from "../worker/page";
import { fallback, flag, oneOf, optional, text } from "../worker/shape";

export const browserType = define("browser_type", {
  ...elementParams,
  text,
  submit: fallback(flag, false),
  append: fallback(flag, false),
  strategy: optional(oneOf("cdp_key", "dom_input")),
}, {
  async run(context, params) {
    const { tabId, append } = params;
    const isTrusted = await canUseDebugger(context, tabId, params.strategy);
    if (!hasElement(params)) return await typeIntoFocus(context, params, isTrusted);
    const { frameId, target } = placeOf("browser_type", params);
    let strategy = "dom_input";
    let held: string | null = null;
    const kind = isTrusted ? await staleIfGone(ask(tabId, frameId, "focus", { target, append, ...context.expected })) : null;
    const changes = await withChanges(context, { tabId, frameId, isWatched: kind !== null, typedInto: kind && kind !== "formatted" && !params.submit ? target : undefined, held: (value) => (held = value) }, async () => {
      // Dates, times and ranges have a format of their own, which keys would miss in most locales.
      if (!kind || (kind === "formatted" && params.strategy === undefined)) {
        await staleIfGone(ask(tabId, frameId, "write", { target, append, text: params.text, isSubmitted: params.submit, ...context.expected }));
      } else {
        strategy = "cdp_key";
        await type(tabId, params.text, !append);
        if (params.submit) {
          held = await ask(tabId, frameId, "valueOf", { target }).catch(() => null);
          await judged(context, tabId, frameId, {});
          await press(tabId, enter);
        }
      }
      await judged(context, tabId, frameId, { isOver: true });
    });
    if (held !== null && !append && normal(held) !== normal(params.text)) context.warnings.push(`The field now holds ${JSON.stringify((held as string).slice(0, 200))}.`);
    return { typed: true, strategy, ...changes };
  },
});

/** Whatever has the focus: editors that draw their text themselves have no field to name. */
async function typeIntoFocus(context: Context, { tabId, text: words, submit }: { tabId: number; text: string; submit: boolean }, isTrusted: boolean): Promise<Result> {
  if (!isTrusted) throw new Failure("CDP_UNAVAILABLE", "Without the debugger only a field that is named can be typed into.");
  const changes = await withChanges(context, { tabId, frameId: TOP, isKey: true }, async () => {
    await ask(tabId, TOP, "focusElement", { ...context.expected });
    for (const [at, line] of words.split("\n").entries()) {
      if (at) await press(tabId, enter);
      await type(tabId, line, false);
    }
    if (submit) await press(tabId, enter);
    await judged(context, tabId, TOP, { isOver: true });
  });
  return { typed: true, strategy: "cdp_key", ...changes };
}

/** Editors write line breaks and spaces in their own way. */
const normal = (held: string): string => held.replace(/\s+/g, " ").trim();
