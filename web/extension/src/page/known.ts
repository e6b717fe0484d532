/** What the agent has been told of this document: lines and boxes, to compare with later. */

import { entryOf, lineOf } from "./description";
import type { Root } from "./shadow";

export interface Known { box: DOMRect; seenAt: number }

const boxes = new WeakMap<Element, Known>();
const lines = new WeakMap<Element, string>();
/** Held until the next index, so that what disappears can still be named. */
let told = new Set<Element>();
let roots: WeakRef<Root>[] = [new WeakRef<Root>(document)];

interface Placed { element: Element; box: DOMRect }

/** A new index replaces everything that was told before. Of what was seen, only what was told is missed once it goes. */
export function remember(seen: Placed[], shown: Placed[], inRoots: Root[]): void {
  const seenAt = performance.now();
  for (const { element, box } of seen) boxes.set(element, { box, seenAt });
  told = new Set(shown.map(({ element }) => element));
  roots = inRoots.map((root) => new WeakRef(root));
}

export const knownBox = (element: Element): Known | undefined => boxes.get(element);
export const isTold = (element: Element): boolean => boxes.has(element);
export const knownRoots = (): Root[] => roots.flatMap((root) => root.deref() ?? []);
export const keepLine = (element: Element, line: string): void => void lines.set(element, line);
export const lineBefore = (element: Element): string => lines.get(element) ?? lineOf(entryOf(element));

/** Its line now, which is from now on what the agent knows of it. */
export function tell(element: Element): string {
  const line = lineOf(entryOf(element));
  lines.set(element, line);
  told.add(element);
  boxes.set(element, { box: element.getBoundingClientRect(), seenAt: performance.now() });
  return line;
}

export function forget(element: Element): void {
  told.delete(element);
  boxes.delete(element);
  lines.delete(element);
}

export const toldElements = (): Iterable<Element> => told;
