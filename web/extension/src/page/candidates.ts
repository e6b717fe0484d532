/** Finds the elements that a person could act on: by tag and role, by a pointing cursor, and by click listeners. */

import { BADGE_ATTRIBUTE } from "./badge";
import { mayPoint } from "./pointing";
import { allRoots, parentAcross, type Root } from "./shadow";

const ROLES = [
  "button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem",
  "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "gridcell",
];
export const INTERACTIVE = [
  "a[href]", "area[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary", "label", "option:not(select option)",
  "audio[controls]", "video[controls]", "canvas", "[onclick]", "[draggable=true]", "[contenteditable]:not([contenteditable=false])",
  "[tabindex]:not([tabindex^='-'])",
  ...ROLES.map((role) => `[role=${role}]`),
].join(",");

/** A listener around more controls than this listens for them and isn't a control itself. */
const MOST_INSIDE = 6;
const LISTS = new Set(["UL", "OL", "DL", "TABLE", "THEAD", "TBODY", "TR", "NAV", "MENU"]);

const listening = new Set<Element>();

/** Whether a click on the element itself does something. */
export const isActing = (element: Element): boolean => element.matches(INTERACTIVE) || listening.has(element);

/** Records a click listener that only the debugger could see. True if it was new. */
export function noteListener(element: Element): boolean {
  const isWhole = element === document.documentElement || element === document.body;
  if (isWhole || listening.has(element) || element.matches(INTERACTIVE)) return false;
  listening.add(element);
  return true;
}

/** The same for every element that matches one of these selectors. */
export function noteSelectors(selectorsJson: string): boolean {
  let isNew = false;
  for (const selector of JSON.parse(selectorsJson) as string[]) {
    try {
      for (const element of document.querySelectorAll(selector)) isNew = noteListener(element) || isNew;
    } catch {
      // A selector that only the library understands.
    }
  }
  return isNew;
}

export interface Candidates { elements: Element[]; roots: Root[] }

export function candidates(within: Document | Element = document): Candidates {
  const roots = allRoots(within);
  const plain = new Set<Element>();
  if (within instanceof Element && within.matches(INTERACTIVE)) plain.add(within);
  for (const root of roots) for (const element of root.querySelectorAll(INTERACTIVE)) plain.add(element);
  const more = findUnmarked(within, roots, plain);
  const all = more.size ? inOrder(roots, new Set([...plain, ...more])) : plain;
  return { elements: [...all].filter((element) => more.has(element) || !isLabelOfAnother(element, plain)), roots };
}

/** Elements that only a cursor or a listener reveals. */
function findUnmarked(within: Document | Element, roots: Root[], plain: Set<Element>): Set<Element> {
  const elements = new Set<Element>();
  const add = (element: Element): void => {
    const parts = partsOf(element, plain);
    for (const part of parts) if (!plain.has(part)) elements.add(part);
  };
  const pointing = within instanceof Element ? [within, ...mayPoint(roots)] : mayPoint(roots);
  for (const element of pointing) {
    if (plain.has(element) || element.hasAttribute(BADGE_ATTRIBUTE) || !pointsHere(element) || isInside(element, plain)) continue;
    add(element);
  }
  for (const element of listening) {
    if (!element.isConnected) listening.delete(element);
    else if (within === document || within.contains(element)) add(element);
  }
  return elements;
}

/**
 * A listening list is replaced by its items, which act on their own; an element that listens for many controls isn't
 * one itself.
 */
function partsOf(element: Element, plain: Set<Element>): Element[] {
  const inside = element.querySelectorAll(INTERACTIVE).length;
  if (inside > MOST_INSIDE) return [];
  const children = [...element.children];
  const [first] = children;
  const isAlike = children.length >= 2 && children.every((one) => one.tagName === first!.tagName);
  if (inside === 0 && isAlike && (LISTS.has(element.tagName) || children.length >= 3) && children.every((one) => one.textContent?.trim() || one.firstElementChild)) {
    return children.flatMap((one) => (LISTS.has(one.tagName) ? partsOf(one, plain) : [one]));
  }
  return LISTS.has(element.tagName) && inside === 0 && children.length === 1 ? partsOf(first!, plain) : [element];
}

/** Sets keep insertion order, but document order is needed. */
function inOrder(roots: Root[], chosen: Set<Element>): Element[] {
  const ordered: Element[] = [];
  for (const root of roots) {
    if (root instanceof Element && chosen.has(root)) ordered.push(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (chosen.has(node as Element)) ordered.push(node as Element);
  }
  return ordered;
}

/** Cursors of elements that are clicked or dragged. */
const HANDLED = /^(pointer|grab|move|[nesw]+-resize|(col|row)-resize)$/;

/** The cursor is inherited: the outermost element with a pointing cursor is the clickable one. */
function pointsHere(element: Element): boolean {
  const { cursor } = getComputedStyle(element);
  if (!HANDLED.test(cursor)) return false;
  const parent = parentAcross(element);
  return !parent || getComputedStyle(parent).cursor !== cursor;
}

function isInside(element: Element, chosen: Set<Element>): boolean {
  for (let at = parentAcross(element); at; at = parentAcross(at)) if (chosen.has(at)) return true;
  return false;
}

function isLabelOfAnother(element: Element, chosen: Set<Element>): boolean {
  if (!(element instanceof HTMLLabelElement)) return false;
  const control = element.control;
  if (!control) return !element.hasAttribute("onclick") && getComputedStyle(element).cursor !== "pointer";
  if (!chosen.has(control)) return false;
  const box = control.getBoundingClientRect();
  // If a control isn't shown at all, its label stands for it.
  return box.width >= 1 && box.height >= 1 && control.checkVisibility({ visibilityProperty: true });
}
