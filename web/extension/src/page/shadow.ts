/** Walks open and closed shadow roots as if they were one document. */

const CAN_HOST = new Set([
  "ARTICLE", "ASIDE", "BLOCKQUOTE", "BODY", "DIV", "FOOTER", "H1", "H2", "H3", "H4", "H5", "H6", "HEADER", "MAIN", "NAV", "P", "SECTION", "SPAN",
]);

const isCustom = (element: Element): boolean => element.localName.includes("-");

/**
 * Only an extension's isolated world sees closed roots. Asking takes microseconds, so only elements that can have one
 * are asked.
 */
export function shadowRootOf(element: Element): ShadowRoot | null {
  if (element.shadowRoot) return element.shadowRoot;
  if (!(CAN_HOST.has(element.tagName) || isCustom(element)) || !(element instanceof HTMLElement) || element.hasAttribute("data-handrail-badge")) return null;
  return chrome.dom.openOrClosedShadowRoot(element);
}

/** Built-in elements are asked only if their own content leaves room for a shadow. */
function mayHost(element: Element): boolean {
  return element.shadowRoot !== null || isCustom(element) || (element.firstChild === null && CAN_HOST.has(element.tagName));
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

/** Read through the prototype: with a form whose own field is named `parentNode`, a walk upwards would never end. */
const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")!.get!;
const slotOf = Object.getOwnPropertyDescriptor(Element.prototype, "assignedSlot")!.get!;

export function parentAcross(node: Node): Element | null {
  const parent = ((node instanceof Element ? slotOf.call(node) : null) ?? parentOf.call(node)) as Node | null;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
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
