/**
 * What frames of other documents show around an element: the text around its frame, level by level, and the text in
 * frames near it. To a person it is one page, so an action is bound to that as well.
 */

import type { Shown } from "../page/api";
import { type Place } from "./click_id";
import { Failure } from "./failure";
import { ask, PageGone, TOP } from "./page";

type FrameShown = NonNullable<Shown["frames"]>;
export interface Around { digest: string; frames: FrameShown; unseen?: string }
type Named = Partial<Place> & { frameId: number };

const UNREADABLE = "A frame near it can't be read, so what it shows may change unnoticed.";

/** Undefined if the element is in the tab's own page and no frame is near it. */
export async function framesAround(tabId: number, { frameId }: Named, near: number[]): Promise<Around | undefined> {
  if (frameId === TOP && !near.length) return undefined;
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const beside = near.length ? await Promise.all(await textsBeside(tabId, frames.filter((one) => one.parentFrameId === frameId), near)) : [];
  const around = await textsAround(tabId, frames, frameId);
  const texts: (string | null)[] = [...around, ...beside];
  const shown: FrameShown = [...around.map((text) => ({ where: "around" as const, text: text ?? "" })), ...beside.map((text) => ({ where: "beside" as const, text: text ?? "" }))].filter(({ text }) => text);
  return { digest: await hashOf(JSON.stringify(texts)), frames: shown, ...(texts.includes(null) ? { unseen: UNREADABLE } : {}) };
}

/** The same check again right before the action. `expected` is the digest of what was shown. */
export async function checkAround(tabId: number, place: Named, expected: string): Promise<void> {
  const near = await ask(tabId, place.frameId, "framesNear", place.target ? { target: place.target } : {}).catch(orNull);
  const now = near && (await framesAround(tabId, place, near));
  if (now?.digest === expected) return;
  throw new Failure("INVALID_TARGET", "What a frame shows around it is no longer what was shown and allowed.", { changed: true, hint: "Look again, and ask again." });
}

/** In the order of `near`; null for a frame that doesn't respond. */
async function textsBeside(tabId: number, children: chrome.webNavigation.GetAllFrameResultDetails[], near: number[]): Promise<Promise<string | null>[]> {
  const places = await Promise.all(children.map(async ({ frameId }) => [await ask(tabId, frameId, "ownPlace", {}).catch(orNull), frameId] as const));
  const byPlace = new Map(places);
  return near.map(async (place) => {
    const frameId = place < 0 ? undefined : byPlace.get(place);
    return frameId === undefined ? null : await ask(tabId, frameId, "frameText", {}).catch(orNull);
  });
}

/** From the element's frame up to the top. */
async function textsAround(tabId: number, frames: chrome.webNavigation.GetAllFrameResultDetails[], frameId: number): Promise<(string | null)[]> {
  const texts: (string | null)[] = [];
  for (let child = frameId; child !== TOP; ) {
    const parent = frames.find((one) => one.frameId === child)?.parentFrameId;
    if (parent === undefined || parent < 0) return [...texts, null];
    texts.push(await textAround(tabId, parent, child).catch(orNull));
    child = parent;
  }
  return texts;
}

async function textAround(tabId: number, parent: number, child: number): Promise<string> {
  const place = await ask(tabId, child, "ownPlace", {});
  if (place >= 0) return await ask(tabId, parent, "aroundFrame", { place });
  const nonce = crypto.randomUUID();
  const text = ask(tabId, parent, "aroundFrame", { place, nonce });
  text.catch(() => undefined);
  await ask(tabId, child, "announce", { nonce });
  return await text;
}

function orNull(error: unknown): null {
  if (error instanceof Failure || error instanceof PageGone) return null;
  throw error;
}

async function hashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
