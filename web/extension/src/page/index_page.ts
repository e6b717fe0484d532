/** The index: every element that can be acted on, what is in view first, in one pass of reading without writing. */

import type { Ask, FrameIndex, IndexedElement } from "./api";
import { type Candidates, candidates } from "./candidates";
import { entryOf, lineOf } from "./description";
import { childFrames, hasFrames, ownPlace } from "./frames";
import { boxOf, isInView, isShown, reachTest, wireBox } from "./geometry";
import { keepLine, remember } from "./known";
import { nextRef, refOf, startFrom } from "./refs";
import { surveySoon } from "./text_changes";
import { xpathOf } from "./xpath";

const ATTRIBUTE = "data-mimo_click_id";

export interface Seen { element: Element; box: DOMRect; isInView: boolean }

export function visibleAmong(from: Candidates): Seen[] {
  const seen: Seen[] = [];
  const isInReach = reachTest(from.roots);
  for (const element of from.elements) {
    const box = boxOf(element);
    if (box.width < 1 || box.height < 1 || !isShown(element) || !isInReach(element)) continue;
    seen.push({ element, box, isInView: isInView(box) });
  }
  return seen;
}

export function indexPage(ask: Ask<"index">): FrameIndex {
  startFrom(ask.floor);
  const from = candidates();
  const seen = visibleAmong(from);
  const inView = seen.filter((one) => one.isInView);
  const ordered = ask.scope === "viewport" ? inView : [...inView, ...seen.filter((one) => !one.isInView)];
  const shown = ordered.slice(0, ask.most);
  const elements = shown.map((one) => indexed(one, ask));
  remember(seen, shown, from.roots);
  surveySoon();
  // Written after everything was read: mixing both would lay the page out again for each element.
  if (ask.attribute) for (const { element } of shown) element.setAttribute(ATTRIBUTE, String(refOf(element)));
  return {
    elements,
    total: ordered.length,
    inView: inView.length,
    next: nextRef(),
    place: ownPlace(),
    children: childFrames(from.roots),
    hasFrames: hasFrames(from.roots),
    view: { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight },
    url: location.href,
    title: document.title,
  };
}

function indexed({ element, box, isInView }: Seen, ask: Ask<"index">): IndexedElement {
  const entry: IndexedElement = { ...entryOf(element), isInView };
  keepLine(element, lineOf(entry));
  // What is in view of a frame may be out of view of the page; the worker works that out.
  if (ask.boxes || window.parent !== window) entry.box = wireBox(box);
  const xpath = ask.xpaths ? xpathOf(element) : undefined;
  if (xpath) entry.xpath = xpath;
  return entry;
}
