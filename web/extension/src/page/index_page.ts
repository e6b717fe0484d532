/** The index: every element that can be acted on, those in view first, in one pass that only reads. */

import type { PageRequest, FrameIndex, IndexedElement } from "./api";
import { type Candidates, candidates } from "./candidates";
import { entryOf, lineOf } from "./description";
import { childFrames, hasFrames, ownPlace } from "./frames";
import { boxOf, isInView, isShown, reachTest, wireBox } from "./geometry";
import { storeLine, recordIndex } from "./reported";
import { nextRef, refOf, startFrom } from "./refs";
import { surveySoon } from "./text_changes";
import { xpathOf } from "./xpath";

const ATTRIBUTE = "data-mimo_click_id";

export interface VisibleElement { element: Element; box: DOMRect; isInView: boolean }

export function visibleAmong(from: Candidates): VisibleElement[] {
  const visible: VisibleElement[] = [];
  const isInReach = reachTest(from.roots);
  for (const element of from.elements) {
    const box = boxOf(element);
    if (box.width < 1 || box.height < 1 || !isShown(element) || !isInReach(element)) continue;
    visible.push({ element, box, isInView: isInView(box) });
  }
  return visible;
}

export function indexPage(request: PageRequest<"index">): FrameIndex {
  startFrom(request.floor);
  const from = candidates();
  const visible = visibleAmong(from);
  const inView = visible.filter((one) => one.isInView);
  const ordered = request.scope === "viewport" ? inView : [...inView, ...visible.filter((one) => !one.isInView)];
  const shown = ordered.slice(0, request.most);
  const elements = shown.map((one) => indexed(one, request));
  recordIndex(visible, shown, from.roots);
  surveySoon();
  // Written after everything was read: mixing both would cause a layout for each element.
  if (request.attribute) for (const { element } of shown) element.setAttribute(ATTRIBUTE, String(refOf(element)));
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

function indexed({ element, box, isInView }: VisibleElement, request: PageRequest<"index">): IndexedElement {
  const entry: IndexedElement = { ...entryOf(element), isInView };
  storeLine(element, lineOf(entry));
  // What is in view of a frame may be out of view of the page; the worker works that out.
  if (request.boxes || window.parent !== window) entry.box = wireBox(box);
  const xpath = request.xpaths ? xpathOf(element) : undefined;
  if (xpath) entry.xpath = xpath;
  return entry;
}
