/** Short numbers for elements. A number is used once, never moves to another element and dies with its own. */

import type { Floor, Target } from "./api";
import { noTarget } from "./failure";
import { matchesOf } from "./xpath";

let next = 1;
let series = "";
let numbers = new WeakMap<Element, number>();
const elements = new Map<number, WeakRef<Element>>();
const departed = new FinalizationRegistry<number>((ref) => elements.delete(ref));

/** Other documents of this task used the numbers below; those of other tasks don't count. */
export function startFrom(floor: Floor): void {
  if (floor.series !== series) {
    series = floor.series;
    numbers = new WeakMap();
    elements.clear();
    next = floor.next;
  }
  next = Math.max(next, floor.next);
}

export const nextRef = (): number => next;

export function refOf(element: Element): number {
  const existing = numbers.get(element);
  if (existing !== undefined) return existing;
  const ref = next++;
  numbers.set(element, ref);
  elements.set(ref, new WeakRef(element));
  departed.register(element, ref);
  return ref;
}

export function resolve(target: Target): Element {
  if (target.ref !== undefined) {
    const element = elements.get(target.ref)?.deref();
    if (element?.isConnected) return element;
    throw noTarget(`The element ${target.ref} is not on this page, or no longer.`, { stale: true, hint: "Look at the page again; a number counts only in the tab that it was given in." });
  }
  const matches = matchesOf(target.xpath ?? "");
  if (matches.length === 1) return matches[0]!;
  throw noTarget(`The XPath matches ${matches.length} elements; it has to match exactly one.`, {
    matches: matches.length,
    hint: matches.length ? "Make the XPath more specific." : "Index the page and use a clickId.",
  });
}
