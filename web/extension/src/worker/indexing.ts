/** Puts the indexes of all frames together: what is in view first, in one numbering, with boxes of the tab. */

import type { Box, FrameIndex, IndexedElement } from "../page/api";
import type { Result } from "./action";
import { formatClickId } from "./click_id";
import { soon } from "./deadline";
import { isAttached } from "./debuggee";
import { Failure } from "./failure";
import { attachAndFind, findListeners } from "./listeners";
import { askAll, ask, goneOr, TOP, type FrameAnswer } from "./page";
import { floorOf, raiseNumbers } from "./tasks";

/** A frame that does not answer must not take the page with it. */
const FRAMES_MS = 2000;

export interface Wanted { scope: "viewport" | "document"; most: number; boxes: boolean; attribute: boolean; xpaths: boolean }
export interface Whole { entries: Result[]; total: number; url: string; title: string; viewport: FrameIndex["view"] }

interface Offset { x: number; y: number; scale: number; isVisible: boolean }
const OF_TOP: Offset = { x: 0, y: 0, scale: 1, isVisible: true };

/** Tabs whose page had frames when it was last indexed: there the short way is not tried first. */
const framed = new Set<number>();
export const forgetFrames = (tabId: number): void => void framed.delete(tabId);

/** A page without frames, in one call and so of one document; null for others, and where it can't be told. */
export async function indexAlone(tabId: number, wanted: Wanted): Promise<Whole | null> {
  if (framed.has(tabId) || !isAttached(tabId)) return null;
  const isNews = findListeners(tabId);
  let value = await ask(tabId, TOP, "index", { ...wanted, floor: floorOf(tabId) }).catch(goneOr(null));
  if (await isNews) value = await ask(tabId, TOP, "index", { ...wanted, floor: floorOf(tabId) }).catch(goneOr(null));
  if (value?.hasFrames) framed.add(tabId);
  if (!value?.total || value.hasFrames) return null;
  await raiseNumbers(tabId, value.next);
  return together(tabId, wanted, [{ frameId: TOP, value }], value, new Map([[TOP, OF_TOP]]));
}

export async function indexTab(tabId: number, wanted: Wanted, warnings: string[]): Promise<Whole> {
  const asked = { ...wanted, floor: floorOf(tabId) };
  const isNews = attachAndFind(tabId);
  let frames = await soon(askAll(tabId, "index", asked), FRAMES_MS, null);
  if (!frames) {
    warnings.push("A frame of the page does not answer; only the page itself was indexed.");
    frames = [{ frameId: TOP, value: await ask(tabId, TOP, "index", asked) }];
  }
  const top = frames.find((one) => one.frameId === TOP);
  if (!top) throw new Failure("PLUGIN_ERROR", "The page went away while it was indexed.", {}, true);
  if (await isNews) top.value = await ask(tabId, TOP, "index", asked);
  await raiseNumbers(tabId, Math.max(...frames.map((one) => one.value.next)));
  if (!top.value.hasFrames) framed.delete(tabId);
  return together(tabId, wanted, frames, top.value, await offsetsOf(tabId, frames));
}

function together(tabId: number, wanted: Wanted, frames: FrameAnswer<FrameIndex>[], top: FrameIndex, offsets: Map<number, Offset>): Whole {
  const seen = frames.filter(({ frameId }) => offsets.get(frameId)?.isVisible ?? true);
  const entries = seen.flatMap(({ frameId, value }) => value.elements.map((element) => placed(tabId, frameId, element, offsets.get(frameId), top.view, wanted.boxes)));
  const shown = entries.filter((one) => one.isInView || wanted.scope === "document");
  return {
    entries: [...shown.filter((one) => one.isInView), ...shown.filter((one) => !one.isInView)].map((one) => one.entry),
    total: seen.reduce((sum, { value }) => sum + value.total, 0) - (entries.length - shown.length),
    url: top.url,
    title: top.title,
    viewport: top.view,
  };
}

/** Where each frame's page begins in the tab, from what its parents said of their iframes. */
async function offsetsOf(tabId: number, frames: FrameAnswer<FrameIndex>[]): Promise<Map<number, Offset>> {
  const found = new Map<number, Offset>([[TOP, OF_TOP]]);
  if (frames.length === 1) return found;
  const tree = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const answers = new Map(frames.map((one) => [one.frameId, one.value]));
  const resolve = (frameId: number): Offset | undefined => {
    const known = found.get(frameId);
    if (known) return known;
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
    found.set(frameId, offset);
    return offset;
  };
  for (const { frameId } of frames) resolve(frameId);
  return found;
}

function placed(tabId: number, frameId: number, element: IndexedElement, offset: Offset | undefined, view: FrameIndex["view"], withBox: boolean) {
  const { ref, box, isInView, ...rest } = element;
  const bbox = box && offset ? shifted(box, offset) : undefined;
  const isWithin = !bbox || (bbox.x < view.width && bbox.y < view.height && bbox.x + bbox.w > 0 && bbox.y + bbox.h > 0);
  return { entry: { clickId: formatClickId(tabId, frameId, ref), ...rest, ...(bbox && withBox ? { bbox } : {}) } as Result, isInView: isInView && isWithin };
}

function shifted(box: Box, { x, y, scale }: Offset): Box {
  return { x: Math.round(x + box.x * scale), y: Math.round(y + box.y * scale), w: Math.round(box.w * scale), h: Math.round(box.h * scale) };
}
