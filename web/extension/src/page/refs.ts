/** Short numbers for elements. A number is given once, never moves to another element and dies with its own. */

import type { Target } from "./api";
import { noTarget } from "./failure";
import { matchesOf } from "./xpath";

let next = 1;
const numbers = new WeakMap<Element, number>();
const elements = new Map<number, WeakRef<Element>>();
const departed = new FinalizationRegistry<number>((ref) => elements.delete(ref));

/** Earlier documents of this tab used the numbers below. */
export function startFrom(floor: number): void {
  next = Math.max(next, floor);
}

export const nextRef = (): number => next;

export function refOf(element: Element): number {
  const known = numbers.get(element);
  if (known !== undefined) return known;
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
    throw noTarget(`The element ${target.ref} is no longer on the page.`, { stale: true, hint: "Index the page again." });
  }
  const found = matchesOf(target.xpath ?? "");
  if (found.length === 1) return found[0]!;
  throw noTarget(`The XPath matches ${found.length} elements; it has to match exactly one.`, {
    matches: found.length,
    hint: found.length ? "Make the XPath more specific." : "Index the page and use a clickId.",
  });
}
