/** Which texts of a page with plain styles may have something over them: compared as boxes, which takes less than asking what lies at a point. */

import { areEmpty, overlap, view } from "./visibility";

/** After so many texts below the view, nothing follows that is in it. */
const MANY_BELOW = 50;
const CLEAR = "rgba(0, 0, 0, 0)";

/** Only what is in view right now can be covered: everything else can be scrolled out from under it. */
export function mayBeCovered(): Set<Text> {
  const boxes: { element: Element; box: DOMRect }[] = [];
  const texts: { text: Text; place: DOMRect }[] = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), below = 0; node && below < MANY_BELOW; node = walker.nextNode()) {
    if (node instanceof Element) {
      if (paints(node)) boxes.push({ element: node, box: node.getBoundingClientRect() });
    } else if (/\S/.test((node as Text).data)) {
      range.selectNodeContents(node);
      const place = range.getBoundingClientRect();
      below = place.top > innerHeight ? below + 1 : 0;
      if (!areEmpty(overlap(place, view()))) texts.push({ text: node as Text, place });
    }
  }
  const isUnder = ({ text, place }: (typeof texts)[number]): boolean => boxes.some(({ element, box }) => !areEmpty(overlap(place, box)) && !element.contains(text));
  return new Set(texts.filter(isUnder).map(({ text }) => text));
}

const paints = (element: Element): boolean => element.tagName === "IMG" || element.tagName === "INPUT" || getComputedStyle(element).backgroundColor !== CLEAR;
