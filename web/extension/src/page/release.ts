/** What letting go of the mouse has set off: whether the page was changed by it, and whether it leads away from here. */

import { describe } from "./description";
import { twoFrames } from "./frame_clock";
import { elementAt, shadowRootOf } from "./shadow";
import { listenOnWindow } from "./window_listeners";

let releasedAt = Number.POSITIVE_INFINITY;
let isLeaving = false;

/** Hears links, forms, scripts and downloads alike. */
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

/** From here on the next press should reach what was aimed at: a page may change once the mouse is over it. */
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

/** On what the press has landed instead, told once. */
export function missedPress(): string | null {
  const told = missed;
  missed = null;
  return told;
}

/** What moving the mouse there has changed isn't an answer to the click. */
export const isAnswer = (changedAt: number): boolean => changedAt >= releasedAt && !isLeaving;

/**
 * Once everything has run that the page has queued so far; a page that is never done is not waited for.
 * The first frame after an input comes before what the input has queued, so that two are the limit.
 */
export async function drained(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  await Promise.race([scheduler.postTask(() => undefined, { priority: "background" }), twoFrames()]);
}

/** A few turns of the page's tasks: what an event has queued, and what that has queued in turn, without waiting for a frame. */
export async function turns(): Promise<void> {
  for (let left = TURNS; left > 0; left--) await scheduler.postTask(() => undefined, { priority: "user-visible" });
}

const TURNS = 3;

declare const scheduler: { postTask<T>(work: () => T, options: { priority: "background" | "user-visible" }): Promise<T> };
