/** An element stands outlined while its picture is taken. */

import type { Identity } from "../page/api";
import { staleIfGone } from "./aiming";
import { formatClickId, type Place } from "./click_id";
import { ask } from "./page";
import { numbersOf, raiseNumbers } from "./tasks";

export async function withOutline<T>(tabId: number, place: Place | undefined, work: () => Promise<T>): Promise<{ done: T; target?: Identity & { clickId: string } }> {
  if (!place) return { done: await work() };
  const { frameId } = place;
  const { ref, next, ...known } = await staleIfGone(ask(tabId, frameId, "outline", { target: place.target, floor: numbersOf(tabId).next }));
  await raiseNumbers(tabId, next);
  try {
    return { done: await work(), target: { clickId: formatClickId(tabId, frameId, ref), ...known } };
  } finally {
    await ask(tabId, frameId, "removeOutline", {}).catch(() => undefined);
  }
}
