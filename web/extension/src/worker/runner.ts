/** Runs what the server asks for: actions of one message in order, messages of one task one after another. */

import { CATALOGUE } from "../actions/catalogue";
import { PROTOCOL, TIMEOUTS, type ActionResult, type BrowserAction } from "../protocol";
import type { Action, Context, Result } from "./action";
import { Deadline } from "./deadline";
import { learnDenied } from "./denied_pages";
import { parseClickId } from "./click_id";
import { Failure, failureOf } from "./failure";
import { refuseForeignFrames } from "./foreign_frames";
import { follow, hopsBefore } from "./hops";
import { type TabDocument, learnOwnPorts } from "./own_pages";
import { atOrigin } from "./required_origin";
import { isPreparation, prepare } from "./preparation";
import { withProvenance } from "./provenance";
import { checkExpected } from "./expected_view";
import { fallback, invalid, parse, type Parsed, whole } from "./shape";
import { taskOf } from "./tasks";

/** Our own timeout answer should reach the server before its timeout. */
const MARGIN_MS = 150;

const lanes = new Map<string, Promise<unknown>>();

/** A task's messages wait for each other; one that fails doesn't fail the next. */
export function inLane<T>(taskId: string, work: () => Promise<T>): Promise<T> {
  const mine = (lanes.get(taskId) ?? Promise.resolve()).then(work, work);
  lanes.set(taskId, mine);
  void mine.catch(() => undefined).finally(() => lanes.get(taskId) === mine && lanes.delete(taskId));
  return mine;
}

interface Step { action: Action; input: Record<string, unknown>; ms: number }
/** What the steps collect for the message's one result: `tabs` are the task's tabs that they used. */
interface Run { message: BrowserAction; warnings: string[]; tabs: Set<number> }

function stepsOf(message: BrowserAction): Step[] {
  if (typeof message.action !== "object" || message.action === null || !Object.keys(message.action).length) {
    throw invalid("browser_action", [{ field: "action", message: "must name at least one action" }]);
  }
  return Object.entries(message.action).map(([name, input]) => {
    const action = CATALOGUE.get(name);
    if (!action) throw invalid("browser_action", [{ field: `action.${name}`, message: "isn't an action that this plugin knows" }]);
    const { timeoutMs } = parse(name, input, { timeoutMs: fallback(whole(1, TIMEOUTS.longestActionMs), action.execMs) });
    return { action, input, ms: Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2) };
  });
}

export const isIdempotent = (names: string[]): boolean => names.every((name) => CATALOGUE.get(name)?.isIdempotent ?? false);

export const isActing = (names: string[]): boolean => names.some((name) => CATALOGUE.get(name)?.acts ?? true);

export async function runMessage(message: BrowserAction, clientId: string): Promise<ActionResult> {
  const head = { v: PROTOCOL, type: "browser_action_result", actionId: message.id, taskId: message.taskId, clientId, ...(message.traceId ? { traceId: message.traceId } : {}) } as const;
  const run: Run = { message, warnings: [], tabs: new Set() };
  try {
    await learnOwnPorts(message.ownPorts);
    await learnDenied(taskOf(message.taskId), message.deniedPages);
    const steps = stepsOf(message);
    // Nothing of a message is done if any part of it is malformed.
    for (const { action, input } of steps) parse(action.name, input, action.params);
    const outcome = isPreparation(Object.keys(message.action))
      ? await prepare((name) => runStep(steps.find((step) => step.action.name === name)!, run))
      : { status: "success" as const, result: await inOrder(steps, run) };
    const allWarnings = [...run.warnings, ...((outcome.result["warnings"] as string[] | undefined) ?? [])];
    const hops = [...run.tabs].flatMap((tabId) => hopsBefore(tabId, outcome.result["pageUrl"]));
    return { ...head, status: outcome.status, result: { ...outcome.result, ...(hops.length ? { hops } : {}), ...(allWarnings.length ? { warnings: allWarnings } : {}) } };
  } catch (error) {
    return { ...head, status: "error", error: failureOf(error).wire() };
  }
}

async function inOrder(steps: Step[], run: Run): Promise<Result> {
  let last: Result = {};
  for (const step of steps) last = await runStep(step, run);
  return last;
}

async function runStep({ action, input, ms }: Step, { message, warnings, tabs }: Run): Promise<Result> {
  const params = parse(action.name, input, action.params);
  if (action.acts && taskOf(message.taskId)?.status === "takeover") {
    throw new Failure("PLUGIN_ERROR", "A person has taken over this task.", { takeover: true, hint: "Wait until it is handed back." }, true);
  }
  const deadline = new Deadline(ms);
  const context: Omit<Context, "allowed"> = { taskId: message.taskId, message, deadline, warnings };
  const tabId = input["tabId"];
  if (typeof tabId === "number" && taskOf(message.taskId)?.tabs.includes(tabId)) {
    follow(tabId);
    tabs.add(tabId);
  }
  const isAboutPage = typeof tabId === "number" && !LEAVING.has(action.name);
  const working = withProvenance(action, tabId, isAboutPage, (allowed) => runAtOrigin(action, input, { ...context, allowed }, params));
  const result = await deadline.within(working, "PLUGIN_TIMEOUT_EXEC", `${action.name} took too long`).catch((error: unknown) => {
    throw action.acts && !action.isIdempotent ? perhapsDone(error) : error;
  });
  if (typeof result["tabId"] === "number") tabs.add(result["tabId"]);
  return result;
}

/** Marks errors after which a repetition might do the action twice. */
function perhapsDone(error: unknown): unknown {
  if (!(error instanceof Failure) || !LATE.has(error.code)) return error;
  return new Failure(error.code, `${error.message} It may have been done.`, { hint: "Look at the page before doing it again.", ...error.details, mayHaveBeenDone: true }, false);
}

const LATE = new Set(["PLUGIN_TIMEOUT_EXEC", "NAVIGATION_TIMEOUT"]);

/** What a person was shown must still be there: it is checked once more at the moment of the action. */
async function runAtOrigin(action: Action, input: Record<string, unknown>, context: Context, params: Parsed<any>): Promise<Result> {
  const page = action.isEager ? null : await context.allowed;
  const { expectedOrigin } = context.message;
  if (!action.acts || !page || expectedOrigin === undefined) return await runIfUnchanged(action, input, context, params, page);
  const tabId = input["tabId"] as number;
  const frameOrigins = Array.isArray(input["frameOrigins"]) ? input["frameOrigins"].map(String) : [];
  return await atOrigin(tabId, expectedOrigin, frameOrigins, page.url, async () => {
    await refuseForeignFrames(tabId, clickIdsOf(input).map((one) => parseClickId(tabId, one).frameId));
    return await runIfUnchanged(action, input, context, params, page);
  });
}

/** All elements that an action names. */
function clickIdsOf({ clickId, toClickId, fields }: Record<string, unknown>): string[] {
  const inFields = Array.isArray(fields) ? fields.map((one) => (one as { clickId?: unknown } | null)?.clickId) : [];
  return [clickId, toClickId, ...inFields].filter((one) => one !== undefined && one !== null).map(String);
}

async function runIfUnchanged(action: Action, input: Record<string, unknown>, context: Context, params: Parsed<any>, page: TabDocument | null): Promise<Result> {
  const shown = action.acts && typeof input["expected"] === "string" ? await checkExpected(context.taskId, action.name, input, input["expected"]) : null;
  return await action.run(shown?.element ? { ...context, expected: { expected: shown.element }, lookAround: shown.lookAround, hasFrames: page?.frames !== 1 } : context, params);
}

/** These take a tab away from its page, or return nothing about it. */
const LEAVING = new Set(["browser_navigate", "browser_tab_close", "browser_debugger_detach", "task_stop"]);
