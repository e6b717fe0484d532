/** Which elements a person could act on: by tag and role, by a pointing cursor, and what the debugger found. */

import { BADGE_ATTRIBUTE } from "./badge";
import { allRoots, type Root } from "./shadow";

const ROLES = [
  "button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem",
  "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "gridcell",
];
export const INTERACTIVE = [
  "a[href]", "area[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary", "label", "option:not(select option)",
  "audio[controls]", "video[controls]", "[onclick]", "[contenteditable]:not([contenteditable=false])", "[tabindex]:not([tabindex^='-'])",
  ...ROLES.map((role) => `[role=${role}]`),
].join(",");

/** A long page has many elements; cursors of the ones out of view are looked at only within this time. */
const CURSOR_BUDGET_MS = 5;

const foundByListeners = new WeakSet<Element>();

/** The debugger saw a listener that nothing in the page shows. */
export function noteListener(element: Element): boolean {
  const isWhole = element === document.documentElement || element === document.body;
  if (!isWhole) foundByListeners.add(element);
  return !isWhole;
}

export interface Candidates { elements: Element[]; roots: Root[] }

export function candidates(within: Document | Element = document): Candidates {
  const roots = allRoots(within);
  const elements: Element[] = [];
  const chosen = new Set<Element>();
  for (const root of roots) {
    for (const element of root.querySelectorAll(INTERACTIVE)) chosen.add(element);
  }
  if (within instanceof Element && (within.matches(INTERACTIVE) || pointsHere(within))) elements.push(within);
  const until = performance.now() + CURSOR_BUDGET_MS;
  for (const root of roots) collect(root, chosen, elements, until);
  return { elements, roots };
}

/** One pass in document order, so that what was found in different ways stays in the order of the page. */
function collect(root: Root, chosen: Set<Element>, into: Element[], until: number): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  let looked = 0;
  let hasTime = true;
  for (let element = walker.nextNode() as Element | null; element; ) {
    if (chosen.has(element)) {
      if (!isLabelOfAnother(element, chosen)) into.push(element);
    } else if (foundByListeners.has(element)) {
      into.push(element);
    } else if (hasTime) {
      if (SKIPPED.has(element.tagName) || element.hasAttribute(BADGE_ATTRIBUTE)) {
        element = outside(walker);
        continue;
      }
      if (++looked % 64 === 0) hasTime = performance.now() < until;
      if (pointsHere(element) && !isInside(element, chosen)) {
        into.push(element);
        element = outside(walker, into, chosen);
        continue;
      }
    }
    element = walker.nextNode() as Element | null;
  }
}

const SKIPPED = new Set(["SCRIPT", "STYLE", "HEAD", "TEMPLATE", "NOSCRIPT"]);

/** The cursor is inherited: the outermost element that points is the one that was made clickable. */
function pointsHere(element: Element): boolean {
  if (getComputedStyle(element).cursor !== "pointer") return false;
  const parent = element.parentElement;
  return !parent || getComputedStyle(parent).cursor !== "pointer";
}

function isInside(element: Element, chosen: Set<Element>): boolean {
  for (let at = element.parentElement; at; at = at.parentElement) if (chosen.has(at)) return true;
  return false;
}

function isLabelOfAnother(element: Element, chosen: Set<Element>): boolean {
  if (!(element instanceof HTMLLabelElement)) return false;
  const control = element.control;
  if (!control) return !element.hasAttribute("onclick") && getComputedStyle(element).cursor !== "pointer";
  if (!chosen.has(control)) return false;
  const box = control.getBoundingClientRect();
  // A control that is not shown at all is stood in for by its label.
  return box.width >= 1 && box.height >= 1 && control.checkVisibility({ visibilityProperty: true });
}

/** Past this element's subtree, except for interactive elements inside, which stay elements of their own. */
function outside(walker: TreeWalker, into?: Element[], chosen?: Set<Element>): Element | null {
  const top = walker.currentNode as Element;
  if (into && chosen) for (const inner of top.querySelectorAll(INTERACTIVE)) if (chosen.has(inner) && !isLabelOfAnother(inner, chosen)) into.push(inner);
  let at: Node | null = top;
  while (at && !at.nextSibling) at = at.parentNode === walker.root ? null : at.parentNode;
  for (let next: Node | null = at?.nextSibling ?? null; next; next = following(next, walker.root)) {
    if (next instanceof Element) {
      walker.currentNode = next;
      return next;
    }
  }
  return null;
}

function following(node: Node, root: Node): Node | null {
  for (let at: Node | null = node; at && at !== root; at = at.parentNode) if (at.nextSibling) return at.nextSibling;
  return null;
}
