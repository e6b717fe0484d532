/** Asks a page through the attached debugger: half the latency of an injected script, and in order with events. */

import type { Answer, PageRequest, PageMethod, Reply } from "../page/api";
import { send } from "./debuggee";
import { Failure } from "./failure";
import { requiredOrigin } from "./required_origin";
import { topWorld } from "./worlds";

/**
 * Methods that may be called twice: the debugger may be detached during a call, and then it is unknown whether it ran.
 */
export type Repeatable = "index" | "view" | "article" | "aim" | "focus" | "watch" | "hearClick" | "rest" | "changes" | "verdict" | "pressed" | "lastVerdict" | "hideBadge";
const REPEATABLE: ReadonlySet<PageMethod> = new Set<Repeatable>(["index", "view", "article", "aim", "focus", "watch", "hearClick", "rest", "changes", "verdict", "pressed", "lastVerdict", "hideBadge"]);

export const isRepeatable = (method: PageMethod): boolean => REPEATABLE.has(method);

const INVOKE = "async (method, ask, origin) => { if (origin && location.origin !== origin) return JSON.stringify({ elsewhere: true }); const page = globalThis.handrail; return JSON.stringify(page?.isAlive() ? await page.answer(method, ask) : { missing: true }); }";

interface Returned { result: { value?: string } }

/** The top frame's answer; `gone` if its document has gone away; null if it can't be asked this way. */
export async function askTop<M extends PageMethod>(tabId: number, method: M, request: PageRequest<M>): Promise<Reply<Answer<M>> | "gone" | null> {
  const world = topWorld(tabId);
  if (!world) return null;
  try {
    const { result } = await send<Returned>(tabId, "Runtime.callFunctionOn", {
      functionDeclaration: INVOKE,
      arguments: [{ value: method }, { value: request }, { value: requiredOrigin(tabId) ?? null }],
      uniqueContextId: world.uniqueId,
      awaitPromise: true,
      returnByValue: true,
      silent: true,
    });
    const reply = JSON.parse(result.value ?? "null") as Reply<Answer<M>> | null;
    return reply && "missing" in reply ? null : reply;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/destroyed|navigated|collected/i.test(message)) return "gone";
    if (error instanceof Failure || /context/i.test(message)) return null;
    throw error;
  }
}
