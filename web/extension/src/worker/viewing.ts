/** Combines the views of all frames: each at its frame's place, with the tab's numbers. */

import type { FrameView } from "../page/api";
import { formatClickId } from "./click_id";
import { soon } from "./deadline";
import { Failure } from "./failure";
import { ask, askAll, type FrameAnswer, TOP } from "./page";
import { floorOf, raiseNumbers } from "./tasks";

const FRAMES_MS = 2000;
const REF = /\u0001(\d+)\u0002/g;
const FRAME = /^\u0003(-?\d+)\u0002$/;

/** `isAlone`: no frame contributed to it. */
export interface View { lines: string[]; top: FrameView; isAlone: boolean }

export async function viewTab(tabId: number, scope: "viewport" | "document", warnings: string[]): Promise<View> {
  const request = { scope, floor: floorOf(tabId) };
  const top = await ask(tabId, TOP, "view", request);
  await raiseNumbers(tabId, top.next);
  if (!top.lines.some((line) => FRAME.test(line))) return { lines: top.lines.map((line) => withClickIds(tabId, TOP, line)), top, isAlone: true };
  const frames = await soon(askAll(tabId, "view", { scope, floor: floorOf(tabId) }), FRAMES_MS, null);
  if (!frames) warnings.push("A frame of the page does not answer; what it shows is missing.");
  const answers = frames ?? [{ frameId: TOP, value: top }];
  const first = answers.find((one) => one.frameId === TOP);
  if (!first) throw new Failure("PLUGIN_ERROR", "The page went away while it was read.", {}, true);
  await raiseNumbers(tabId, Math.max(...answers.map((one) => one.value.next)));
  const tree = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const childOf = (parent: number, place: number): FrameAnswer<FrameView> | undefined =>
    answers.find(({ frameId, value }) => value.place === place && tree.some((one) => one.frameId === frameId && one.parentFrameId === parent));
  const linesOf = ({ frameId, value }: FrameAnswer<FrameView>): string[] =>
    value.lines.flatMap((line) => {
      const place = FRAME.exec(line)?.[1];
      if (place === undefined) return [withClickIds(tabId, frameId, line)];
      const child = childOf(frameId, Number(place));
      return child ? linesOf(child) : [];
    });
  return { lines: linesOf(first), top: first.value, isAlone: false };
}

const withClickIds = (tabId: number, frameId: number, line: string): string => line.replace(REF, (_, ref: string) => formatClickId(tabId, frameId, Number(ref)));
