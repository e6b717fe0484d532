/** Walks open and closed shadow roots as if they were one document. */

import { TaskMemory } from "./task_memory";

const CAN_HOST = new Set([
  "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span",
]);

const getter = (prototype: object, name: string): (() => unknown) => Object.getOwnPropertyDescriptor(prototype, name)!.get!;
/** Read through the prototypes: a form's own fields hide its properties of the same names. */
const parentOf = getter(Node.prototype, "parentNode");
const firstOf = getter(Node.prototype, "firstChild");
const nextOf = getter(Node.prototype, "nextSibling");
const slotOf = getter(Element.prototype, "assignedSlot");
const slotOfText = getter(Text.prototype, "assignedSlot");
const localName = getter(Element.prototype, "localName");

export const localNameOf = (element: Element): string => localName.call(element) as string;

/** A form's own fields may hide its name; it can't have a shadow root. */
const mayHaveShadow = ({ localName }: Element): boolean => typeof localName === "string" && (CAN_HOST.has(localName) || localName.includes("-"));

/**
 * Only an extension's isolated world sees closed roots. Asking takes microseconds, so only elements that can have one
 * are asked.
 */
export function shadowRootOf(element: Element): ShadowRoot | null {
  if (!mayHaveShadow(element) || !(element instanceof HTMLElement) || (element.localName === "div" && element.hasAttribute("data-handrail-badge"))) return null;
  return chrome.dom.openOrClosedShadowRoot(element);
}

/** Built-in elements are asked only if their own content leaves room for a shadow. */
function mayHost(element: Element): boolean {
  return element.shadowRoot !== null || (mayHaveShadow(element) && (element.firstChild === null || element.localName.includes("-")));
}

/** A tree walker takes a third of the time of a list of all elements. */
export function* elementsIn(root: Root): Generator<Element> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) yield node as Element;
}

export type Root = Document | ShadowRoot | Element;

/** The document or a part of it, and every shadow root inside, outermost first. */
export function allRoots(root: Root = document): Root[] {
  const roots: Root[] = [root];
  const own = root instanceof Element ? shadowRootOf(root) : null;
  if (own) roots.push(own);
  for (let at = 0; at < roots.length; at++) {
    for (const element of elementsIn(roots[at]!)) {
      const inner = mayHost(element) ? shadowRootOf(element) : null;
      if (inner) roots.push(inner);
    }
  }
  return roots;
}

/** Takes less time than `childNodes`. */
export function* childrenOf(node: Node): Generator<Node> {
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) yield child;
}

export const firstChildOf = (node: Node): Node | null => firstOf.call(node) as Node | null;
export const nextSiblingOf = (node: Node): Node | null => nextOf.call(node) as Node | null;

export function parentAcross(node: Node): Element | null {
  const parent = ((node instanceof Element ? slotOf.call(node) : node instanceof Text ? slotOfText.call(node) : null) ?? parentOf.call(node)) as Node | null;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

const closedSlots = new TaskMemory((host: Element) => [...(shadowRootOf(host)?.querySelectorAll("slot") ?? [])]);
const surroundings = new TaskMemory(findSurrounding);

/** What a node is drawn in: `parentAcross`, but also through the slots of closed trees. */
export const drawnIn = (node: Node): Element | null => surroundings.of(node);

function findSurrounding(node: Node): Element | null {
  const around = parentAcross(node);
  if (!around || around !== parentOf.call(node)) return around;
  return closedSlots.of(around).find((slot) => slot.assignedNodes().includes(node)) ?? around;
}

/** The focused element, also inside shadow trees; the page itself if nothing has the focus. */
export function activeElement(): Element {
  let active = document.activeElement;
  for (let inner = active && shadowRootOf(active)?.activeElement; active && inner; inner = shadowRootOf(active)?.activeElement) active = inner;
  return active ?? document.documentElement;
}

export function containsAcross(outer: Element, inner: Element): boolean {
  for (let at: Element | null = inner; at; at = parentAcross(at)) if (at === outer) return true;
  return false;
}

export function closestAcross(from: Element, matches: (element: Element) => boolean): Element | null {
  for (let at: Element | null = from; at; at = parentAcross(at)) if (matches(at)) return at;
  return null;
}

/** The innermost element that a click at this point would reach. */
export function elementAt(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y);
  for (let inner = hit && shadowRootOf(hit); hit && inner; inner = shadowRootOf(hit)) {
    const deeper = inner.elementFromPoint(x, y);
    if (!deeper || deeper === hit) return hit;
    hit = deeper;
  }
  return hit;
}
