/** The element that an action names, and whether the debugger can be used on it. */

import { attach } from "./debuggee";
import type { Context } from "./action";
import { Failure } from "./failure";
import { parseClickId, type Place } from "./click_id";
import { filled, invalid, number, optional, text, whole } from "./shape";
import type { Point } from "../page/api";
import { ask, TOP } from "./page";
import { checkOwn, floorOf, raiseNumbers } from "./tasks";

export interface ElementParams { tabId: number; clickId?: string | undefined; xpath?: string | undefined }

export const tabParam = { tabId: whole(0) };
/** Agents also send the number of an element as a number. */
const clickId = (value: unknown): string => filled(typeof value === "number" ? String(value) : value);
export const pointParams = { x: optional(number), y: optional(number) };
export const elementParams = { ...tabParam, clickId: optional(clickId), xpath: optional(text) };

export function hasElement(params: ElementParams): boolean {
  return params.clickId !== undefined || params.xpath !== undefined;
}

export function placeOf(action: string, params: ElementParams): Place {
  if (params.clickId !== undefined) return parseClickId(params.tabId, params.clickId);
  if (params.xpath !== undefined) return { frameId: 0, target: { xpath: params.xpath } };
  throw invalid(action, [{ field: "clickId", message: "or xpath is missing" }]);
}

export interface PointTarget extends Place { at?: Point }

/** An element, a point of it, or the element at a point of the viewport. */
export async function pointTargetOf(action: string, params: ElementParams & { x?: number | undefined; y?: number | undefined }): Promise<PointTarget> {
  const { tabId, x, y } = params;
  if ((x === undefined) !== (y === undefined)) throw invalid(action, [{ field: x === undefined ? "x" : "y", message: "is missing" }]);
  const point = x === undefined || y === undefined ? undefined : { x, y };
  if (hasElement(params) || !point) return { ...placeOf(action, params), ...(point ? { at: point } : {}) };
  const { ref, next, at } = await ask(tabId, TOP, "elementAt", { floor: floorOf(tabId), point });
  await raiseNumbers(tabId, next);
  return { frameId: TOP, target: { ref }, at };
}

/**
 * True with the debugger attached. Without it, only an explicit `cdp_*` is an error; everything else continues with a
 * warning.
 */
export async function canUseDebugger({ taskId, warnings, deadline }: Context, tabId: number, strategy?: string): Promise<boolean> {
  checkOwn(taskId, tabId);
  if (strategy?.startsWith("dom_")) return false;
  try {
    await deadline.within(attach(tabId));
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "CDP_UNAVAILABLE" || strategy !== undefined) throw await forPage(error, tabId);
    warnings.push(`${error.message} Done by script instead: the page sees untrusted events.`);
    return false;
  }
}

async function forPage(error: unknown, tabId: number): Promise<unknown> {
  if (!(error instanceof Failure) || error.code !== "CDP_PERMISSION_DENIED") return error;
  const { url = "" } = await chrome.tabs.get(tabId);
  return new Failure(error.code, `Chrome lets no extension work on ${url.split("?")[0] || "this page"}.`, { hint: "Navigate to a web page." });
}
