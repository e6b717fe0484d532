/** What releasing the mouse has caused: whether it changed the page, and whether it navigates away. */

import { describe } from "./description";
import { twoFrames } from "./frame_clock";
import { elementAt, shadowRootOf } from "./shadow";
import { listenOnWindow } from "./window_listeners";

let releasedAt = Number.POSITIVE_INFINITY;
let isLeaving = false;

/** Fires for links, forms, scripts and downloads alike. */
export function watchRelease(): void {
  listenOnWindow("mouseup", () => (releasedAt = performance.now()));
  listenOnWindow("pointerdown", notePress);
  navigation.addEventListener("navigate", () => (isLeaving = true));
}

export function awaitRelease(): void {
  releasedAt = Number.POSITIVE_INFINITY;
  isLeaving = false;
}

let isReached: ((hit: Element) => boolean) | null = null;
let missed: string | null = null;

/** From here on the next press should reach the target: a page may change once the mouse is over it. */
export function awaitPress(reaches: ((hit: Element) => boolean) | null): void {
  isReached = reaches;
  missed = null;
}

function notePress(event: PointerEvent): void {
  const [first] = event.composedPath();
  if (!event.isTrusted || !isReached || !(first instanceof Element)) return;
  const hit = shadowRootOf(first) ? (elementAt(event.clientX, event.clientY) ?? first) : first;
  if (!isReached(hit)) missed = describe(hit);
  isReached = null;
}

export const hasMissed = (): boolean => missed !== null;

/** What the press hit instead; returned once. */
export function missedPress(): string | null {
  const hit = missed;
  missed = null;
  return hit;
}

/** A change that moving the mouse caused isn't a reaction to the click. */
export const isAnswer = (changedAt: number): boolean => changedAt >= releasedAt && !isLeaving;

/**
 * Resolves once everything has run that the page has queued so far, without waiting for a page that never finishes.
 * The first frame after an input comes before what the input has queued, so two frames are the limit.
 */
export async function drained(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  await Promise.race([scheduler.postTask(() => undefined, { priority: "background" }), twoFrames()]);
}

/**
 * Waits a few turns of the page's event loop: for what an event has queued, and what that has queued in turn, without
 * waiting for a frame.
 */
export async function turns(): Promise<void> {
  for (let left = TURNS; left > 0; left--) await scheduler.postTask(() => undefined, { priority: "user-visible" });
}

const TURNS = 3;

declare const scheduler: { postTask<T>(work: () => T, options: { priority: "background" | "user-visible" }): Promise<T> };
