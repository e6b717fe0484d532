/**
 * Finds the point of an element that a click would really reach, once the element stands still, or the reason why
 * there is none.
 */

import type { PageRequest, FramePoint, Point } from "./api";
import { covers, stepAside } from "./badge";
import { isActing } from "./candidates";
import { watch } from "./changes";
import { describe } from "./description";
import { noTarget, Refusal } from "./failure";
import { nextFrame } from "./frame_clock";
import { guard } from "./guard";
import { innerPointAt, ownPlace } from "./frames";
import { boxOf, innerBox, isSameBox, isShown } from "./geometry";
import { reportedBox } from "./reported";
import { resolve } from "./refs";
import { checkShown } from "./element_snapshot";
import { closestAcross, containsAcross, elementAt } from "./shadow";
import { isDisabled } from "./states";
import { awaitPress } from "./release";
import { isAnimated, untilStill } from "./stillness";

/** Two frames at 60 Hz. */
const TWO_FRAMES_MS = 34;
const INSET = 2;
const COVERED_MS = 300;

/** Also starts to watch for changes, because the mouse comes next. */
export async function aim(request: PageRequest<"aim">): Promise<FramePoint> {
  const element = resolve(request.target);
  if (request.purpose === "click") refuseUnclickable(element);
  await awaitStillness(element, request.waitMs);
  const point = await untilUncovered(Math.min(request.waitMs, COVERED_MS), () => (request.at ? pointAt(element, request.at!) : openPoint(element)));
  // The person was shown the element at its free point; the worker compares the pixels at any other point.
  const shownPoint = request.at ? undefined : point;
  if (request.purpose === "click") guard(element, request.expected, null, shownPoint);
  else checkShown(element, request.expected, shownPoint);
  watch();
  awaitPress(request.purpose === "click" ? (hit) => isClickOn(hit, element) : null);
  const inner = innerPointAt(point);
  return { point, place: ownPlace(), isAlone: window.length === 0, isInPopup: popupAround(element) !== null, ...(inner ? { inner } : {}) };
}

/** Lists, menus and calendars are placed freely and layered over the page. */
export function popupAround(element: Element): Element | null {
  return closestAcross(element, (one) => {
    const { position, zIndex } = getComputedStyle(one);
    return (position === "absolute" || position === "fixed") && zIndex !== "auto";
  });
}

/** A list that is closing covers its surroundings a moment longer. */
async function untilUncovered<T>(waitMs: number, look: () => T): Promise<T> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof Refusal) || error.details["coveredBy"] === undefined || performance.now() > until) throw error;
      await nextFrame();
    }
  }
}

/** Refuses clicks that would open something native, which the agent couldn't see. */
function refuseUnclickable(element: Element): void {
  const control = element instanceof HTMLLabelElement ? element.control : element;
  if (control instanceof HTMLInputElement && control.type === "file") {
    throw noTarget(`A click on ${describe(element)} opens a file chooser.`, { hint: "Use browser_upload with this element." });
  }
  if (control instanceof HTMLInputElement && control.type === "color") {
    throw noTarget(`A click on ${describe(element)} opens a colour chooser.`, { hint: "Use browser_type with a text such as #ff8800." });
  }
  if (control instanceof HTMLSelectElement && !control.multiple && control.size <= 1) {
    const options = [...control.options].slice(0, 20).map((option) => option.label);
    throw noTarget(`${describe(element)} is a native list.`, { hint: "Use browser_select_option.", options });
  }
  if (isDisabled(element)) throw noTarget(`${describe(element)} is disabled.`, { disabled: true });
}

export function bringIntoView(element: Element): void {
  const box = boxOf(element);
  const isInside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  if (!isInside || window.parent !== window || !elementAtCentre(element)) element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
}

/** A scrolled list hides its far elements although they lie inside the viewport. */
function elementAtCentre(element: Element): boolean {
  const box = boxOf(element);
  const hit = elementAt(box.x + box.width / 2, box.y + box.height / 2);
  return hit !== null && isClickOn(hit, element);
}

/** An unanimated box that is where it was two frames ago needs no wait. */
async function awaitStillness(element: Element, waitMs: number): Promise<void> {
  const reported = reportedBox(element);
  bringIntoView(element);
  if (!isShown(element)) throw noTarget(`${describe(element)} is not visible.`, { hint: "Index the page again." });
  if (reported && performance.now() - reported.seenAt > TWO_FRAMES_MS && isSameBox(reported.box, boxOf(element)) && !isAnimated(element, true)) return;
  await untilStill(element, waitMs);
}

/** Uses exactly the named point; if something else lies there, it is refused. */
function pointAt(element: Element, at: { x: number; y: number }): { x: number; y: number } {
  const box = innerBox(element);
  const point = { x: box.x + at.x, y: box.y + at.y };
  if (at.x < 0 || at.y < 0 || at.x > box.width || at.y > box.height) {
    throw noTarget(`The point ${at.x}, ${at.y} is not in ${describe(element)}.`, { hint: `It has ${Math.round(box.width)} × ${Math.round(box.height)} pixels.` });
  }
  let hit = elementAt(point.x, point.y);
  if (hit && covers(hit)) {
    stepAside();
    hit = elementAt(point.x, point.y);
  }
  if (hit && isClickOn(hit, element)) {
    // The person was shown the element, not another one inside it.
    const inner = closestAcross(hit, (one) => one === element || isActing(one));
    if (inner && inner !== element && containsAcross(element, inner)) throw noTarget(`At this point lies ${describe(inner)}.`, { hint: "Click that element itself." });
    return point;
  }
  const over = hit ? describe(hit) : "the edge of the page";
  throw noTarget(`There, ${describe(element)} is covered by ${over}.`, { coveredBy: over, hint: "Scroll, or close what covers it." });
}

/**
 * The centre first; if the element is partly covered or wraps over lines, any part that is free. What acts on its own
 * inside it is avoided where that is possible.
 */
export function openPoint(element: Element): { x: number; y: number } {
  // A control hidden behind its own drawing is clicked through its label.
  const labels = [...((element as HTMLInputElement).labels ?? [])];
  const rects = [element, ...labels].flatMap((one) => [...one.getClientRects()]).filter((rect) => rect.width > 0 && rect.height > 0);
  const parts = rects.length ? rects : [boxOf(element)];
  let first: Element | null = null;
  let onAnother: Point | null = null;
  for (const box of parts) {
    const left = Math.max(box.left, 0);
    const top = Math.max(box.top, 0);
    const right = Math.min(box.right, innerWidth);
    const bottom = Math.min(box.bottom, innerHeight);
    if (right - left < 1 || bottom - top < 1) continue;
    const x = (left + right) / 2;
    const y = (top + bottom) / 2;
    const corners = [[left + INSET, top + INSET], [right - INSET, top + INSET], [left + INSET, bottom - INSET], [right - INSET, bottom - INSET]];
    for (const [atX, atY] of [[x, y], [x, top + INSET], [x, bottom - INSET], [left + INSET, y], [right - INSET, y], ...corners] as [number, number][]) {
      let hit = elementAt(atX, atY);
      if (hit && covers(hit)) {
        stepAside();
        hit = elementAt(atX, atY);
      }
      first ??= hit;
      if (!hit || !isClickOn(hit, element)) continue;
      const acting = closestAcross(hit, (one) => one === element || isActing(one));
      if (acting === element || !acting || !containsAcross(element, acting)) return { x: atX, y: atY };
      onAnother ??= { x: atX, y: atY };
    }
  }
  if (onAnother) return onAnother;
  if (first && containsAcross(first, element) && getComputedStyle(element).pointerEvents === "none") {
    throw noTarget(`${describe(element)} takes no clicks (pointer-events: none).`);
  }
  const over = first ? describe(first) : "the edge of the page";
  throw noTarget(`${describe(element)} is covered by ${over}.`, { coveredBy: over, hint: "Close or move what covers it first." });
}

/** Whether a click that lands on `hit` counts as a click on the element; a label passes its clicks on. */
function isClickOn(hit: Element, element: Element): boolean {
  if (containsAcross(element, hit)) return true;
  const label = hit.closest("label");
  return label !== null && label.control === element;
}
