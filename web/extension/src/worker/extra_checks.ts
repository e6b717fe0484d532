/** What an action is bound to besides its element: other elements that it needs, and the pixels at its point. */

import type { Point } from "../page/api";
import { withoutBadge } from "./badge";
import { parseClickId } from "./click_id";
import { send } from "./debuggee";
import { ask, TOP } from "./page";

const AROUND = 24;

export interface Extras { also: string[]; point?: Point | undefined }

/** `point` is in the tab's viewport. Undefined if there is nothing more. */
export async function extrasDigest(tabId: number, { also, point }: Extras): Promise<string | undefined> {
  if (!also.length && !point) return undefined;
  const parts: string[] = [];
  for (const id of also) {
    const { frameId, target } = parseClickId(tabId, id);
    parts.push(await ask(tabId, frameId, "digests", { targets: [target] }));
  }
  if (point) parts.push(await pixels(tabId, point));
  return await hashed(parts.join(" "));
}

async function pixels(tabId: number, point: Point): Promise<string> {
  const { cssVisualViewport } = await send<{ cssVisualViewport: { pageX: number; pageY: number } }>(tabId, "Page.getLayoutMetrics");
  const clip = { x: cssVisualViewport.pageX + point.x - AROUND, y: cssVisualViewport.pageY + point.y - AROUND, width: 2 * AROUND, height: 2 * AROUND, scale: 1 };
  return await withoutBadge(tabId, async () => await hashed((await send<{ data: string }>(tabId, "Page.captureScreenshot", { format: "png", clip })).data));
}

async function hashed(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `12,34` */
export function pointOf(text: string): Point {
  const [x = Number.NaN, y = Number.NaN] = text.split(",").map(Number);
  return { x, y };
}

/** From the fields in which a server describes a question. */
export async function extrasOfQuestion(tabId: number, { point, also, ...element }: { point?: string | undefined; also?: string | undefined; clickId?: string | undefined; xpath?: string | undefined }): Promise<Extras> {
  return { also: also?.split(",") ?? [], point: point ? await pointInView(tabId, { ...element, ...pointOf(point) }) : undefined };
}

/** The same from an action's own parameters. */
export async function extrasOfParams(tabId: number, params: Record<string, unknown>): Promise<Extras> {
  const { toClickId, fields, path, x, y, clickId, xpath } = params as { toClickId?: string; fields?: { clickId: string }[]; path?: number[][]; x?: number; y?: number; clickId?: string; xpath?: string };
  const [first] = path ?? [];
  const also = [...(toClickId === undefined ? [] : [String(toClickId)]), ...(fields ?? []).map((one) => String(one.clickId))];
  return { also, point: await pointInView(tabId, { clickId: clickId === undefined ? undefined : String(clickId), xpath, x: first?.[0] ?? x, y: first?.[1] ?? y }) };
}

/** Converts an element's own point to the viewport; without an element it already is a viewport point. */
export async function pointInView(tabId: number, params: { clickId?: string | undefined; xpath?: string | undefined; x?: number | undefined; y?: number | undefined }): Promise<Point | undefined> {
  const { clickId, xpath, x, y } = params;
  if (x === undefined || y === undefined) return undefined;
  if (clickId === undefined && xpath === undefined) return { x, y };
  const { frameId, target } = clickId === undefined ? { frameId: TOP, target: { xpath: xpath! } } : parseClickId(tabId, clickId);
  if (frameId !== TOP) return undefined;
  const box = await ask(tabId, frameId, "boxOf", { target });
  return { x: box.x + x, y: box.y + y };
}
