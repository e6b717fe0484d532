/** Screenshots of pages as PNG, and their size. */

import type { Content } from "./artifacts";
import { send } from "./debuggee";
import { Failure } from "./failure";

/** The server accepts 25 MB. */
const LARGEST = 24 * 1024 * 1024;
/** Taller pictures can't be drawn. */
const TALLEST = 16_000;
const PNG = "image/png";

/** `area` is the part of the page that it shows, in CSS pixels. */
export interface Screenshot { picture: Content; area?: { x: number; y: number; width: number; height: number } }

export async function capture(tabId: number, fullPage: boolean, warnings: string[]): Promise<Screenshot> {
  if (!fullPage) {
    const [picture, area] = await Promise.all([shoot(tabId, {}), viewOf(tabId)]);
    return area ? { picture, area } : { picture };
  }
  const { cssContentSize } = await send<{ cssContentSize: { width: number; height: number } }>(tabId, "Page.getLayoutMetrics");
  const height = Math.min(cssContentSize.height, TALLEST);
  if (height < cssContentSize.height) warnings.push(`The page is ${Math.round(cssContentSize.height)} px tall; the picture ends at ${TALLEST} px.`);
  const clip = { x: 0, y: 0, width: cssContentSize.width, height, scale: 1 };
  const picture = await shoot(tabId, { captureBeyondViewport: true, clip });
  const area = { x: 0, y: 0, width: cssContentSize.width, height };
  if (picture.bytes.length <= LARGEST) return { picture, area };
  warnings.push("The picture was scaled down to half its size.");
  return { picture: await shoot(tabId, { captureBeyondViewport: true, clip: { ...clip, scale: 0.5 } }), area };
}

async function viewOf(tabId: number): Promise<Screenshot["area"]> {
  const expression = "({ x: scrollX, y: scrollY, width: innerWidth, height: innerHeight })";
  const { result } = await send<{ result: { value?: Screenshot["area"] } }>(tabId, "Runtime.evaluate", { expression, returnByValue: true });
  return result.value;
}

async function shoot(tabId: number, how: Record<string, unknown>): Promise<Content> {
  const { data } = await send<{ data: string }>(tabId, "Page.captureScreenshot", { format: "png", optimizeForSpeed: true, ...how });
  return { bytes: await decoded(data), type: PNG };
}

/** Chrome has this built in from version 140 on; before that, a request decodes it. */
export async function decoded(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(base64);
  return new Uint8Array(await (await fetch(`data:;base64,${base64}`)).arrayBuffer());
}

/** Without the debugger, Chrome can capture only the tab in front. */
export async function captureInFront(tab: chrome.tabs.Tab): Promise<Screenshot> {
  if (!tab.active) throw new Failure("CDP_UNAVAILABLE", "Without the debugger only the tab in front can be drawn.");
  const [, data = ""] = (await chrome.tabs.captureVisibleTab(tab.windowId, { format: "png" })).split(",", 2);
  return { picture: { bytes: await decoded(data), type: PNG } };
}

export function sizeOf({ bytes }: Content): { width: number; height: number } {
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  return { width: header.getUint32(16), height: header.getUint32(20) };
}
