/** browser_select_option: chooses in a <select> by value or label, or in any other list by label. */

import type { Target } from "../page/api";
import { aimAt, staleIfGone } from "../worker/aiming";
import { type Context, define, type Result } from "../worker/action";
import type { Place } from "../worker/click_id";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, placeOf } from "../worker/element";
import { Failure } from "../worker/failure";
import { click } from "../worker/input";
import { ask } from "../worker/page";
import { listOf, text } from "../worker/shape";
import { floorOf, raiseNumbers } from "../worker/tasks";

/** A list that takes longer to open is noticed only by the next action. */
const OPENS_MS = 1500;
const CLOSES_MS = 300;

export const browserSelectOption = define("browser_select_option", { ...elementParams, values: listOf(text) }, {
  async run(context, params): Promise<Result> {
    const { tabId, values } = params;
    await canUseDebugger(context, tabId);
    const { frameId, target } = placeOf("browser_select_option", params);
    let selected: string[] = [];
    const isNative = (await staleIfGone(ask(tabId, frameId, "fieldKind", { target }))) === "select";
    const changes = await withChanges(context, { tabId, frameId, isKey: !isNative }, async () => {
      selected = isNative ? await staleIfGone(ask(tabId, frameId, "select", { target, values, ...context.expected })) : await choose(context, { tabId, frameId, target, labels: values });
    });
    return { selected, ...changes };
  },
});

/** Any list that isn't a <select>: opens it with a click and chooses from what it shows. */
async function choose(context: Context, { tabId, frameId, target, labels }: Place & { tabId: number; labels: string[] }): Promise<string[]> {
  const at = async (one: Target, expected = {}) => await staleIfGone(aimAt(tabId, frameId, { target: one, purpose: "click", waitMs: 1000, ...expected }));
  const offered = async (label: string, opener?: Target) => await ask(tabId, frameId, "option", { label, floor: floorOf(tabId), ...(opener ? { opener } : {}) });
  const offeredSoon = async (label: string, ms: number) => {
    const until = performance.now() + Math.min(ms, context.deadline.left() / 2);
    let option = await offered(label);
    for (; "labels" in option && performance.now() < until; option = await offered(label)) await new Promise((resolve) => setTimeout(resolve, 30));
    return option;
  };
  const selected: string[] = [];
  let opener = await at(target, context.expected);
  for (const label of labels) {
    // Many lists close when something was chosen.
    let option = await (selected.length ? offeredSoon(label, CLOSES_MS) : offered(label, target));
    if ("labels" in option) {
      if (selected.length) opener = await at(target);
      await click(tabId, opener);
      option = await offeredSoon(label, OPENS_MS);
    }
    if ("labels" in option) throw new Failure("INVALID_TARGET", `Nothing that is open is called ${JSON.stringify(label)}.`, { options: option.labels, hint: "The list is open now: browser_page shows it." });
    await raiseNumbers(tabId, option.next);
    await click(tabId, await at({ ref: option.ref }));
    selected.push(label);
  }
  return selected;
}
