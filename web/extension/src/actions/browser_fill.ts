/** browser_fill: fills several fields at once, each in the way its kind needs. */

import { aimAt, staleIfGone } from "../worker/aiming";
import { type Context, define, type Result } from "../worker/action";
import { parseClickId } from "../worker/click_id";
import { withChanges } from "../worker/effects";
import { canUseDebugger, tabParam } from "../worker/element";
import { Failure } from "../worker/failure";
import { originCheck } from "../worker/required_origin";
import { click, enter, press, type } from "../worker/input";
import { ask, TOP } from "../worker/page";
import { type Check, fallback, filled, flag, listOf } from "../worker/shape";

interface Field { clickId: string; value: string | boolean }

const field: Check<Field> = (given) => {
  const { clickId, value } = (given ?? {}) as Record<string, unknown>;
  return { clickId: filled(typeof clickId === "number" ? String(clickId) : clickId), value: typeof value === "boolean" ? value : String(value ?? "") };
};

export const browserFill = define("browser_fill", { ...tabParam, fields: listOf(field), submit: fallback(flag, false) }, {
  async run(context, { tabId, fields, submit }): Promise<Result> {
    await canUseDebugger(context, tabId, "cdp_key");
    // All or none: a wrong number is found before anything is changed.
    const kinds = await Promise.all(fields.map(async ({ clickId }) => await kindOf(tabId, clickId)));
    const filledIn: string[] = [];
    const stay = originCheck(tabId);
    const changes = await withChanges(context, { tabId, frameId: TOP, isKey: submit }, async () => {
      for (const [at, one] of fields.entries()) {
        await fillIn(context, tabId, one, kinds[at]!);
        filledIn.push(one.clickId);
      }
      if (!submit) return;
      await stay();
      await press(tabId, enter);
    }).catch((error: unknown) => {
      if (error instanceof Failure && filledIn.length) throw new Failure(error.code, `${error.message} Filled in before that: ${filledIn.join(", ")}.`, error.details, false);
      throw error;
    });
    return { filled: filledIn, ...changes };
  },
});

async function kindOf(tabId: number, clickId: string): Promise<string> {
  const { frameId, target } = parseClickId(tabId, clickId);
  const kind = await staleIfGone(ask(tabId, frameId, "fieldKind", { target }));
  if (kind === "other") throw new Failure("INVALID_TARGET", `${clickId} is no field.`, { hint: "Use browser_click, browser_upload or browser_select_option for it." });
  return kind;
}

async function fillIn({ deadline }: Context, tabId: number, { clickId, value }: Field, kind: string): Promise<void> {
  const { frameId, target } = parseClickId(tabId, clickId);
  if (kind === "select") return void (await staleIfGone(ask(tabId, frameId, "select", { target, values: [String(value)] })));
  if (kind === "check") {
    const shouldBeChecked = value === true || value === "true" || value === "on";
    if ((await ask(tabId, frameId, "isChecked", { target })) === shouldBeChecked) return;
    return await click(tabId, await staleIfGone(aimAt(tabId, frameId, { target, purpose: "click", waitMs: Math.min(1000, deadline.left()) })));
  }
  const field = await staleIfGone(ask(tabId, frameId, "focus", { target, append: false }));
  if (field === "formatted") await staleIfGone(ask(tabId, frameId, "write", { target, append: false, text: String(value), isSubmitted: false }));
  else await type(tabId, String(value), true);
}
