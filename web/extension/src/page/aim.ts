/** Finds the point of an element that a click would really reach, once the element stands still; or says why none. */

import type { Ask, FramePoint } from "./api";
import { covers, stepAside } from "./badge";
import { isActing } from "./candidates";
import { watch } from "./changes";
import { describe } from "./description";
import { noTarget, Refusal } from "./failure";
import { nextFrame } from "./frame_clock";
import { guard } from "./guard";
import { ownPlace } from "./frames";
import { boxOf, innerBox, isSameBox, isShown } from "./geometry";
import { knownBox } from "./known";
import { resolve } from "./refs";
import { checkShown } from "./shown";
import { closestAcross, containsAcross, elementAt } from "./shadow";
import { isDisabled } from "./states";
import { awaitPress } from "./release";
import { isAnimated, untilStill } from "./stillness";

/** Two frames at 60 Hz. */
const TWO_FRAMES_MS = 34;
const INSET = 2;
const COVERED_MS = 300;

/** Changes are watched from here on: the mouse comes next. */
export async function aim(ask: Ask<"aim">): Promise<FramePoint> {
  const element = resolve(ask.target);
  if (ask.purpose === "click") refuseUnclickable(element);
  await holdStill(element, ask.waitMs);
  const point = await uncovered(Math.min(ask.waitMs, COVERED_MS), () => (ask.at ? pointAt(element, ask.at!) : openPoint(element)));
  // A person was shown the element as it is at its free point; the pixels at another one are compared by the worker.
  const asked = ask.at ? undefined : point;
  if (ask.purpose === "click") guard(element, ask.expected, null, asked);
  else checkShown(element, ask.expected, asked);
  watch();
  awaitPress(ask.purpose === "click" ? (hit) => reaches(hit, element) : null);
  return { point, place: ownPlace(), isAlone: window.length === 0 };
}

/** A list that closes covers its surroundings a moment longer. */
async function uncovered<T>(waitMs: number, look: () => T): Promise<T> {
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

/** Clicks that would open something native that nobody behind the wire can see. */
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

/** A list that scrolls hides its far elements although they lie inside the viewport. */
function elementAtCentre(element: Element): boolean {
  const box = boxOf(element);
  const hit = elementAt(box.x + box.width / 2, box.y + box.height / 2);
  return hit !== null && reaches(hit, element);
}

/** A box that is where it was two frames ago, with nothing animating it, needs no wait. */
async function holdStill(element: Element, waitMs: number): Promise<void> {
  const known = knownBox(element);
  bringIntoView(element);
  if (!isShown(element)) throw noTarget(`${describe(element)} is not visible.`, { hint: "Index the page again." });
  if (known && performance.now() - known.seenAt > TWO_FRAMES_MS && isSameBox(known.box, boxOf(element)) && !isAnimated(element, true)) return;
  await untilStill(element, waitMs);
}

/** A point that was named is no other: where something else lies there, it is refused. */
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
  if (hit && reaches(hit, element)) {
    // What a person was shown is the element, not something else inside of it.
    const inner = closestAcross(hit, (one) => one === element || isActing(one));
    if (inner && inner !== element && containsAcross(element, inner)) throw noTarget(`At this point lies ${describe(inner)}.`, { hint: "Click that element itself." });
    return point;
  }
  const over = hit ? describe(hit) : "the edge of the page";
  throw noTarget(`There, ${describe(element)} is covered by ${over}.`, { coveredBy: over, hint: "Scroll, or close what covers it." });
}

/** The middle first; of an element that is partly covered, or wrapped over lines, any part that is free. */
export function openPoint(element: Element): { x: number; y: number } {
  // A control behind a drawing of itself is clicked through its label.
  const labels = [...((element as HTMLInputElement).labels ?? [])];
  const rects = [element, ...labels].flatMap((one) => [...one.getClientRects()]).filter((rect) => rect.width > 0 && rect.height > 0);
  const parts = rects.length ? rects : [boxOf(element)];
  let first: Element | null = null;
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
      if (hit && reaches(hit, element)) return { x: atX, y: atY };
      first ??= hit;
    }
  }
  if (first && containsAcross(first, element) && getComputedStyle(element).pointerEvents === "none") {
    throw noTarget(`${describe(element)} takes no clicks (pointer-events: none).`);
  }
  const over = first ? describe(first) : "the edge of the page";
  throw noTarget(`${describe(element)} is covered by ${over}.`, { coveredBy: over, hint: "Close or move what covers it first." });
}

/** Whether a click that lands on `hit` is a click on the element; a label passes its clicks on. */
function reaches(hit: Element, element: Element): boolean {
  if (containsAcross(element, hit)) return true;
  const label = hit.closest("label");
  return label !== null && label.control === element;
}
