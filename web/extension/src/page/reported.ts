/** What was reported to the agent about this document: lines and boxes, for later comparison. */

import { entryOf, lineOf } from "./description";
import type { Root } from "./shadow";

export interface ReportedBox { box: DOMRect; seenAt: number }

const boxes = new WeakMap<Element, ReportedBox>();
const lines = new WeakMap<Element, string>();
/** Kept until the next index, so that elements that disappear can still be named. */
let reported = new Set<Element>();
let roots: WeakRef<Root>[] = [new WeakRef<Root>(document)];

interface Placed { element: Element; box: DOMRect }

/** A new index replaces everything that was reported before. Only reported elements are missed when they disappear. */
export function recordIndex(seen: Placed[], shown: Placed[], inRoots: Root[]): void {
  const seenAt = performance.now();
  for (const { element, box } of seen) boxes.set(element, { box, seenAt });
  reported = new Set(shown.map(({ element }) => element));
  roots = inRoots.map((root) => new WeakRef(root));
}

export const reportedBox = (element: Element): ReportedBox | undefined => boxes.get(element);
export const isReported = (element: Element): boolean => boxes.has(element);
export const indexedRoots = (): Root[] => roots.flatMap((root) => root.deref() ?? []);
export const storeLine = (element: Element, line: string): void => void lines.set(element, line);
export const reportedLine = (element: Element): string => lines.get(element) ?? lineOf(entryOf(element));

/** Returns the element's current line, and records it as what the agent knows. */
export function reportLine(element: Element): string {
  const line = lineOf(entryOf(element));
  lines.set(element, line);
  reported.add(element);
  boxes.set(element, { box: element.getBoundingClientRect(), seenAt: performance.now() });
  return line;
}

export function forget(element: Element): void {
  reported.delete(element);
  boxes.delete(element);
  lines.delete(element);
}

export const reportedElements = (): Iterable<Element> => reported;
