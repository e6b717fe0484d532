/** Outlines an element while its picture is taken. */

import type { Identity, Shown } from "../page/api";
import { staleIfGone } from "./aiming";
import { formatClickId, type Place } from "./click_id";
import { foreignOrigin } from "./foreign_frames";
import { framesAround } from "./frames_around";
import { ask } from "./page";
import { floorOf, raiseNumbers } from "./tasks";

export interface Pictured<T> {
  done: T;
  target?: Identity & { clickId: string };
  /** What the element was when the picture had been taken, and what a person is shown of it. */
  digest?: string;
  shown?: Shown;
  /** A digest of what frames of other documents show around it. */
  beyond?: string;
  unseen?: string;
}

const UNSTEADY = "The page changed while its picture was taken.";

/** Without a `target`, the focused element is outlined. */
export async function withOutline<T>(tabId: number, place: Partial<Place> & { frameId: number } | undefined, work: () => Promise<T>): Promise<Pictured<T>> {
  if (!place) return { done: await work() };
  const { frameId, target } = place;
  const { ref, next, digest: before, ...known } = await staleIfGone(ask(tabId, frameId, "outline", { ...(target ? { target } : {}), floor: floorOf(tabId) }));
  await raiseNumbers(tabId, next);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await ask(tabId, frameId, "removeOutline", {}).catch(() => undefined);
    throw error;
  }
  const look = await ask(tabId, frameId, "removeOutline", {}).catch(() => null);
  const pictured = { done: result, target: { clickId: formatClickId(tabId, frameId, ref), ...known } };
  if (!look) return pictured;
  const around = await framesAround(tabId, place, look.frames);
  const unseen = look.digest === before ? (look.unseen ?? around?.unseen) : UNSTEADY;
  const frameOrigin = await foreignOrigin(tabId, frameId);
  const shown = { ...look.shown, ...(around ? { frames: around.frames } : {}), ...(frameOrigin === undefined ? {} : { frameOrigin }) };
  return { ...pictured, digest: look.digest, shown, ...(around ? { beyond: around.digest } : {}), ...(unseen === undefined ? {} : { unseen }) };
}
