/**
 * Frames of other places than the tab's page. Whoever decided about the page hasn't decided about them, so nothing is
 * done in one until the server has decided about its origin, too.
 */

import { Failure } from "./failure";
import { ask, TOP } from "./page";
import { requirementOf } from "./required_origin";

type Frame = chrome.webNavigation.GetAllFrameResultDetails;

/** `place`: the position of a frame among those of its parent, -1 if that is unknown. */
export async function refuseForeignChild(tabId: number, parent: number, place: number): Promise<void> {
  if (!requirementOf(tabId)) return;
  const frames = await framesOf(tabId);
  const children = frames.filter((one) => one.parentFrameId === parent);
  const places = place < 0 ? [] : await Promise.all(children.map(({ frameId }) => ask(tabId, frameId, "ownPlace", {}).catch(() => -1)));
  const found = children.filter((_, at) => places[at] === place);
  refuse(tabId, frames, (found.length ? found : children).flatMap((one) => withDescendants(frames, one)));
}

export async function refuseForeignFrames(tabId: number, frameIds: number[]): Promise<void> {
  if (!requirementOf(tabId) || frameIds.every((one) => one === TOP)) return;
  const frames = await framesOf(tabId);
  refuse(tabId, frames, frames.filter(({ frameId }) => frameIds.includes(frameId)));
}

/** What has the focus, or lies at a point of the tab, may be a frame. */
export async function refuseForeignAt(tabId: number, point?: { x: number; y: number }): Promise<void> {
  if (!requirementOf(tabId)) return;
  const place = await ask(tabId, TOP, "frameUnder", point ? { point } : {});
  if (place !== null) await refuseForeignChild(tabId, TOP, place);
}

/** The origin of the element's frame, if it is another one than its page's. */
export async function foreignOrigin(tabId: number, frameId: number): Promise<string | undefined> {
  if (frameId === TOP) return undefined;
  const frames = await framesOf(tabId);
  const [own, top] = [frameId, TOP].map((id) => frames.find((one) => one.frameId === id)).map((one) => one && originOfFrame(frames, one));
  return own === top ? undefined : own;
}

const framesOf = async (tabId: number): Promise<Frame[]> => (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];

const withDescendants = (frames: Frame[], frame: Frame): Frame[] => [frame, ...frames.filter((one) => one.parentFrameId === frame.frameId).flatMap((one) => withDescendants(frames, one))];

function refuse(tabId: number, frames: Frame[], reached: Frame[]): void {
  const required = requirementOf(tabId);
  const origins = [...new Set(reached.map((one) => originOfFrame(frames, one)))].filter((one): one is string => one !== undefined && one !== required?.origin && !required?.frameOrigins.includes(one));
  if (origins.length) throw new Failure("INVALID_TARGET", `This would act in a frame of ${origins.join(", ")}, which is another place than its page: nothing was done.`, { frameOrigins: origins }, false);
}

/** A document without an address of its own belongs to the page around it. */
function originOfFrame(frames: Frame[], frame: Frame): string | undefined {
  if (/^(blob:)?https?:/i.test(frame.url)) return new URL(frame.url).origin;
  const parent = frames.find((one) => one.frameId === frame.parentFrameId);
  return parent && originOfFrame(frames, parent);
}
