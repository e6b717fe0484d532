/** Where elements are in this frame's viewport, and whether they can be seen. */

import type { Box } from "./api";
import { closestAcross, containsAcross, elementAt, parentAcross, type Root } from "./shadow";

/** A link around blocks or with display:contents has no box of its own; its content's box is used. */
export function boxOf(element: Element): DOMRect {
  const own = element.getBoundingClientRect();
  if (own.width > 0 && own.height > 0) return own;
  for (const child of element.children) {
    const box = child.getBoundingClientRect();
    if (box.width > 0 && box.height > 0) return box;
  }
  return own;
}

/** The box inside the border, where a canvas's coordinates start. */
export function innerBox(element: Element): { x: number; y: number; width: number; height: number } {
  const box = boxOf(element);
  const scale = element instanceof HTMLElement && element.offsetWidth ? box.width / element.offsetWidth : 1;
  const [left, top] = [element.clientLeft * scale, element.clientTop * scale];
  return { x: box.x + left, y: box.y + top, width: box.width - 2 * left, height: box.height - 2 * top };
}

export const isInView = (box: DOMRect): boolean => box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;

export const wireBox = (box: DOMRect): Box => ({ x: Math.round(box.x), y: Math.round(box.y), w: Math.round(box.width), h: Math.round(box.height) });

export const isSameBox = (one: DOMRect, other: DOMRect): boolean =>
  Math.abs(one.x - other.x) < 0.5 && Math.abs(one.y - other.y) < 0.5 && Math.abs(one.width - other.width) < 0.5 && Math.abs(one.height - other.height) < 0.5;

export function isShown(element: Element): boolean {
  return element.checkVisibility({ visibilityProperty: true }) || (isContents(element) && [...element.children].some(isShown));
}

const isContents = (element: Element): boolean => getComputedStyle(element).display === "contents";

const OUT_OF_REACH = "[aria-hidden=true],[inert]";

/**
 * Returns a test that excludes what is behind a modal. An element that is only hidden from assistive technology, such
 * as a spinner's arrows, counts if the mouse can reach it.
 */
export function reachTest(roots: Root[]): (element: Element) => boolean {
  if (!roots.some((root) => root.querySelector(OUT_OF_REACH) || (root instanceof Element && root.closest(OUT_OF_REACH)))) return () => true;
  return (element) => {
    const hidden = closestAcross(element, (one) => one.matches(OUT_OF_REACH));
    return hidden === null || (closestAcross(hidden, (one) => one.matches("[inert]")) === null && isOpen(element));
  };
}

function isOpen(element: Element): boolean {
  const box = boxOf(element);
  const hit = isInView(box) ? elementAt(box.x + box.width / 2, box.y + box.height / 2) : null;
  return hit !== null && containsAcross(element, hit);
}

/** Anything in between that clips the box, such as a scrolled list, is left to the hit test. */
export function scrollParent(element: Element): Element {
  for (let at = parentAcross(element); at && at !== document.body; at = parentAcross(at)) {
    const style = getComputedStyle(at);
    const scrolls = /auto|scroll|overlay/.test(style.overflowY + style.overflowX);
    if (scrolls && (at.scrollHeight > at.clientHeight + 1 || at.scrollWidth > at.clientWidth + 1)) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}
