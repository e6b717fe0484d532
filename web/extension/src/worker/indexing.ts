/** Combines the indexes of all frames: elements in view first, one numbering, boxes in the tab's coordinates. */

import type { Box, FrameIndex, IndexedElement } from "../page/api";
import type { Result } from "./action";
import { formatClickId } from "./click_id";
import { soon } from "./deadline";
import { isAttached } from "./debuggee";
import { Failure } from "./failure";
import { attachAndFind, findListeners } from "./listeners";
import { askAll, ask, ifGone, TOP, type FrameAnswer } from "./page";
import { floorOf, raiseNumbers } from "./tasks";

/** A frame that doesn't respond must not block the page. */
const FRAMES_MS = 2000;

export interface IndexOptions { scope: "viewport" | "document"; most: number; boxes: boolean; attribute: boolean; xpaths: boolean }
export interface PageIndex { entries: Result[]; total: number; url: string; title: string; viewport: FrameIndex["view"] }

interface Offset { x: number; y: number; scale: number; isVisible: boolean }
const OF_TOP: Offset = { x: 0, y: 0, scale: 1, isVisible: true };

/** Tabs whose page had frames when it was last indexed; for them the shortcut isn't tried first. */
const framed = new Set<number>();
export const forgetFrames = (tabId: number): void => void framed.delete(tabId);

/** A page without frames, indexed in one call and from one document; null if it has frames or that is unknown. */
export async function indexAlone(tabId: number, options: IndexOptions): Promise<PageIndex | null> {
  if (framed.has(tabId) || !isAttached(tabId)) return null;
  const isNews = findListeners(tabId);
  let value = await ask(tabId, TOP, "index", { ...options, floor: floorOf(tabId) }).catch(ifGone(null));
  if (await isNews) value = await ask(tabId, TOP, "index", { ...options, floor: floorOf(tabId) }).catch(ifGone(null));
  if (value?.hasFrames) framed.add(tabId);
  if (!value?.total || value.hasFrames) return null;
  await raiseNumbers(tabId, value.next);
  return combine(tabId, options, [{ frameId: TOP, value }], value, new Map([[TOP, OF_TOP]]));
}

export async function indexTab(tabId: number, options: IndexOptions, warnings: string[]): Promise<PageIndex> {
  const request = { ...options, floor: floorOf(tabId) };
  const isNews = attachAndFind(tabId);
  let frames = await soon(askAll(tabId, "index", request), FRAMES_MS, null);
  if (!frames) {
    warnings.push("A frame of the page does not answer; only the page itself was indexed.");
    frames = [{ frameId: TOP, value: await ask(tabId, TOP, "index", request) }];
  }
  const top = frames.find((one) => one.frameId === TOP);
  if (!top) throw new Failure("PLUGIN_ERROR", "The page went away while it was indexed.", {}, true);
  if (await isNews) top.value = await ask(tabId, TOP, "index", request);
  await raiseNumbers(tabId, Math.max(...frames.map((one) => one.value.next)));
  if (!top.value.hasFrames) framed.delete(tabId);
  return combine(tabId, options, frames, top.value, await offsetsOf(tabId, frames));
}

function combine(tabId: number, options: IndexOptions, frames: FrameAnswer<FrameIndex>[], top: FrameIndex, offsets: Map<number, Offset>): PageIndex {
  const visible = frames.filter(({ frameId }) => offsets.get(frameId)?.isVisible ?? true);
  const entries = visible.flatMap(({ frameId, value }) => value.elements.map((element) => toTabEntry(tabId, frameId, element, offsets.get(frameId), top.view, options.boxes)));
  const shown = entries.filter((one) => one.isInView || options.scope === "document");
  return {
    entries: [...shown.filter((one) => one.isInView), ...shown.filter((one) => !one.isInView)].map((one) => one.entry),
    total: visible.reduce((sum, { value }) => sum + value.total, 0) - (entries.length - shown.length),
    url: top.url,
    title: top.title,
    viewport: top.view,
  };
}

/** Where each frame's page begins in the tab, computed from what its parents reported about their iframes. */
async function offsetsOf(tabId: number, frames: FrameAnswer<FrameIndex>[]): Promise<Map<number, Offset>> {
  const offsets = new Map<number, Offset>([[TOP, OF_TOP]]);
  if (frames.length === 1) return offsets;
  const tree = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const answers = new Map(frames.map((one) => [one.frameId, one.value]));
  const resolve = (frameId: number): Offset | undefined => {
    const parentOffset = offsets.get(frameId);
    if (parentOffset) return parentOffset;
    const parentId = tree.find((one) => one.frameId === frameId)?.parentFrameId ?? -1;
    const parent = parentId >= 0 ? resolve(parentId) : undefined;
    const child = answers.get(parentId)?.children.find((one) => one.index >= 0 && one.index === answers.get(frameId)?.place);
    if (!parent || !child) return undefined;
    const offset = {
      x: parent.x + child.box.x * parent.scale,
      y: parent.y + child.box.y * parent.scale,
      scale: parent.scale * child.scale,
      isVisible: parent.isVisible && child.isVisible,
    };
    offsets.set(frameId, offset);
    return offset;
  };
  for (const { frameId } of frames) resolve(frameId);
  return offsets;
}

function toTabEntry(tabId: number, frameId: number, element: IndexedElement, offset: Offset | undefined, view: FrameIndex["view"], withBox: boolean) {
  const { ref, box, isInView, ...rest } = element;
  const bbox = box && offset ? toTabBox(box, offset) : undefined;
  const isWithin = !bbox || (bbox.x < view.width && bbox.y < view.height && bbox.x + bbox.w > 0 && bbox.y + bbox.h > 0);
  return { entry: { clickId: formatClickId(tabId, frameId, ref), ...rest, ...(bbox && withBox ? { bbox } : {}) } as Result, isInView: isInView && isWithin };
}

function toTabBox(box: Box, { x, y, scale }: Offset): Box {
  return { x: Math.round(x + box.x * scale), y: Math.round(y + box.y * scale), w: Math.round(box.w * scale), h: Math.round(box.h * scale) };
}
