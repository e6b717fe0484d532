/** browser_type: types text of any script into a field, replacing its content; `append` keeps that. */

import type { PageRequest, Changes } from "../page/api";
import { staleIfGone } from "../worker/aiming";
import { type Context, define, type Result } from "../worker/action";
import { Failure } from "../worker/failure";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, hasElement, placeOf } from "../worker/element";
import { refuseForeignAt } from "../worker/foreign_frames";
import { judged } from "../worker/guarding";
import { originCheck } from "../worker/required_origin";
import { enter, press, type } from "../worker/input";
import { ask, TOP } from "../worker/page";
import { fallback, flag, oneOf, optional, text } from "../worker/shape";
import { type ListenedInput, listenedInputOf } from "../worker/typing_listeners";

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
    const request: WriteRequest = { target, text: params.text, append: params.append, isSubmitted: params.submit, ...context.expected };
    const isPlain = isTrusted && frameId === TOP && !params.append && !params.submit && params.strategy === undefined;
    const listened = isPlain ? await listenedInput(tabId, request) : "keys";
    const { held, ...result } = listened === "keys" ? await typeKeys(context, tabId, frameId, request, isTrusted, params.strategy) : await writeAtOnce(context, tabId, request, listened === "text");
    if (typeof held === "string" && !params.append && normal(held) !== normal(params.text)) context.warnings.push(`The field now holds ${JSON.stringify(held.slice(0, 200))}.`);
    return result;
  },
});

type WriteRequest = PageRequest<"write">;
interface Typed extends Result { held: string | null }

/** A page that hears the focus may start listening for keys only then. */
async function listenedInput(tabId: number, request: WriteRequest): Promise<ListenedInput> {
  const listened = await listenedInputOf(tabId);
  if (listened !== "focus") return listened;
  await staleIfGone(ask(tabId, TOP, "focus", request));
  return (await listenedInputOf(tabId)) === "keys" ? "keys" : "text";
}

/** Writes the text in one step, if nothing in the page listens for keys. */
async function writeAtOnce(context: Context, tabId: number, request: WriteRequest, isHeard: boolean): Promise<Typed> {
  const results: Changes[] = [];
  const answered = (one: Changes): void => void results.push(one);
  const effect = { tabId, frameId: TOP, isWatched: true, isJudged: context.expected !== undefined, typedInto: request.target, written: { ...request, isHeard }, answered };
  const changes = await withChanges(context, effect, async () => undefined);
  const [first] = results;
  if (!first) throw new Failure("INVALID_TARGET", "The page went away while it was typed into. It may have been done.", { stale: true, mayHaveBeenDone: true, hint: "Look at the page again.", ...changes }, false);
  return { typed: true, strategy: first.wrote === "formatted" ? "dom_input" : "cdp_key", ...changes, held: first.held ?? null };
}

async function typeKeys(context: Context, tabId: number, frameId: number, request: WriteRequest, isTrusted: boolean, wanted: string | undefined): Promise<Typed> {
  const { target, text, append, isSubmitted } = request;
  const kind = isTrusted ? await staleIfGone(ask(tabId, frameId, "focus", request)) : null;
  // Dates, times and ranges have a format of their own; in most locales keys would get it wrong.
  const isByScript = !kind || (kind === "formatted" && wanted === undefined);
  const stay = originCheck(tabId);
  let content: string | null = null;
  const typedInto = kind && kind !== "formatted" && !isSubmitted ? target : undefined;
  const effect = { tabId, frameId, isWatched: kind !== null, isJudged: context.expected !== undefined, typedInto, answered: (found: Changes) => void (content ??= found.held ?? null) };
  const changes = await withChanges(context, effect, async () => {
    if (isByScript) return void (await staleIfGone(ask(tabId, frameId, "write", request)));
    await type(tabId, text, !append);
    if (!isSubmitted) return;
    content = await ask(tabId, frameId, "valueOf", { target }).catch(() => null);
    await judged(context, tabId, frameId, {});
    await stay();
    await press(tabId, enter);
  });
  return { typed: true, strategy: isByScript ? "dom_input" : "cdp_key", ...changes, held: content };
}

/** Types into the focused element: editors that draw their text themselves have no field to name. */
async function typeIntoFocus(context: Context, { tabId, text: words, submit }: { tabId: number; text: string; submit: boolean }, isTrusted: boolean): Promise<Result> {
  if (!isTrusted) throw new Failure("CDP_UNAVAILABLE", "Without the debugger only a field that is named can be typed into.");
  const lines = words.split("\n").flatMap((line, at) => [...(at ? [() => press(tabId, enter)] : []), ...(line ? [() => type(tabId, line, false)] : [])]);
  const parts = [...lines, ...(submit ? [() => press(tabId, enter)] : [])];
  await refuseForeignAt(tabId);
  const stay = originCheck(tabId);
  let remaining = parts.length;
  const changes = await withChanges(context, { tabId, frameId: TOP, isKey: true }, async () => {
    await ask(tabId, TOP, "focusElement", { ...context.expected });
    for (const enterPart of parts) {
      if (remaining < parts.length) await stay(); // Enter may have led to another origin
      remaining--;
      await enterPart();
    }
    await judged(context, tabId, TOP, { isOver: true });
  });
  if (remaining) await stay();
  return { typed: true, strategy: "cdp_key", ...changes };
}

/** Editors write line breaks and spaces in their own way. */
const normal = (content: string): string => content.replace(/\s+/g, " ").trim();
