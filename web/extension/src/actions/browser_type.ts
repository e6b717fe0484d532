/** browser_type: text of any script into a field, in place of what it holds; `append` keeps that. */

import type { Ask, Changes } from "../page/api";
import { staleIfGone } from "../worker/aiming";
import { type Context, define, type Result } from "../worker/action";
import { Failure } from "../worker/failure";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, hasElement, placeOf } from "../worker/element";
import { judged } from "../worker/guarding";
import { staying } from "../worker/held_place";
import { enter, press, type } from "../worker/input";
import { ask, TOP } from "../worker/page";
import { fallback, flag, oneOf, optional, text } from "../worker/shape";
import { type Heard, heardTyping } from "../worker/typing_listeners";

export const browserType = define("browser_type", {
  ...elementParams,
  text,
  submit: fallback(flag, false),
  append: fallback(flag, false),
  strategy: optional(oneOf("cdp_key", "dom_input")),
}, {
  async run(context, params) {
    const { tabId } = params;
    const isTrusted = await canUseDebugger(context, tabId, params.strategy);
    if (!hasElement(params)) return await typeIntoFocus(context, params, isTrusted);
    const { frameId, target } = placeOf("browser_type", params);
    const asked: Asked = { target, text: params.text, append: params.append, isSubmitted: params.submit, ...context.expected };
    const isPlain = isTrusted && frameId === TOP && !params.append && !params.submit && params.strategy === undefined;
    const heard = isPlain ? await heardBy(tabId, asked) : "keys";
    const { held, ...result } = heard === "keys" ? await typeKeys(context, tabId, frameId, asked, isTrusted, params.strategy) : await writeAtOnce(context, tabId, asked, heard === "text");
    if (typeof held === "string" && !params.append && normal(held) !== normal(params.text)) context.warnings.push(`The field now holds ${JSON.stringify(held.slice(0, 200))}.`);
    return result;
  },
});

type Asked = Ask<"write">;
interface Typed extends Result { held: string | null }

/** Who is told of the focus may listen for keys from then on. */
async function heardBy(tabId: number, asked: Asked): Promise<Heard> {
  const heard = await heardTyping(tabId);
  if (heard !== "focus") return heard;
  await staleIfGone(ask(tabId, TOP, "focus", asked));
  return (await heardTyping(tabId)) === "keys" ? "keys" : "text";
}

/** All in one step, where nothing in the page listens for keys. */
async function writeAtOnce(context: Context, tabId: number, asked: Asked, isHeard: boolean): Promise<Typed> {
  const found: Changes[] = [];
  const answered = (one: Changes): void => void found.push(one);
  const effect = { tabId, frameId: TOP, isWatched: true, isJudged: context.expected !== undefined, typedInto: asked.target, written: { ...asked, isHeard }, answered };
  const changes = await withChanges(context, effect, async () => undefined);
  const [first] = found;
  if (!first) throw new Failure("INVALID_TARGET", "The page went away while it was typed into. It may have been done.", { stale: true, mayHaveBeenDone: true, hint: "Look at the page again.", ...changes }, false);
  return { typed: true, strategy: first.wrote === "formatted" ? "dom_input" : "cdp_key", ...changes, held: first.held ?? null };
}

async function typeKeys(context: Context, tabId: number, frameId: number, asked: Asked, isTrusted: boolean, wanted: string | undefined): Promise<Typed> {
  const { target, text, append, isSubmitted } = asked;
  const kind = isTrusted ? await staleIfGone(ask(tabId, frameId, "focus", asked)) : null;
  // Dates, times and ranges have a format of their own, which keys would miss in most locales.
  const isByScript = !kind || (kind === "formatted" && wanted === undefined);
  const stay = staying(tabId);
  let held: string | null = null;
  const typedInto = kind && kind !== "formatted" && !isSubmitted ? target : undefined;
  const effect = { tabId, frameId, isWatched: kind !== null, isJudged: context.expected !== undefined, typedInto, answered: (found: Changes) => void (held ??= found.held ?? null) };
  const changes = await withChanges(context, effect, async () => {
    if (isByScript) return void (await staleIfGone(ask(tabId, frameId, "write", asked)));
    await type(tabId, text, !append);
    if (!isSubmitted) return;
    held = await ask(tabId, frameId, "valueOf", { target }).catch(() => null);
    await judged(context, tabId, frameId, {});
    await stay();
    await press(tabId, enter);
  });
  return { typed: true, strategy: isByScript ? "dom_input" : "cdp_key", ...changes, held };
}

/** Whatever has the focus: editors that draw their text themselves have no field to name. */
async function typeIntoFocus(context: Context, { tabId, text: words, submit }: { tabId: number; text: string; submit: boolean }, isTrusted: boolean): Promise<Result> {
  if (!isTrusted) throw new Failure("CDP_UNAVAILABLE", "Without the debugger only a field that is named can be typed into.");
  const lines = words.split("\n").flatMap((line, at) => [...(at ? [() => press(tabId, enter)] : []), ...(line ? [() => type(tabId, line, false)] : [])]);
  const parts = [...lines, ...(submit ? [() => press(tabId, enter)] : [])];
  const stay = staying(tabId);
  let left = parts.length;
  const changes = await withChanges(context, { tabId, frameId: TOP, isKey: true }, async () => {
    await ask(tabId, TOP, "focusElement", { ...context.expected });
    for (const enterPart of parts) {
      if (left < parts.length) await stay(); // Enter may have led to another place
      left--;
      await enterPart();
    }
    await judged(context, tabId, TOP, { isOver: true });
  });
  if (left) await stay();
  return { typed: true, strategy: "cdp_key", ...changes };
}

/** Editors write line breaks and spaces in their own way. */
const normal = (held: string): string => held.replace(/\s+/g, " ").trim();
