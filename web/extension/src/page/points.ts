/** Queries about elements around an action: what lies at a point, what they are now, what an open list offers. */

import type { Answer, PageRequest } from "./api";
import { popupAround } from "./aim";
import { candidates } from "./candidates";
import { describe } from "./description";
import { noTarget } from "./failure";
import { boxOf, innerBox, isShown } from "./geometry";
import { visibleAmong } from "./index_page";
import { nameOf, textOf, tidy } from "./names";
import { nextRef, refOf, resolve, startFrom } from "./refs";
import { containsAcross, elementAt } from "./shadow";
import { checkShown, snapshotOf } from "./element_snapshot";
import { sha256 } from "./sha256";
import { areEmpty, overlap, Visibility } from "./visibility";

export function atPoint(request: PageRequest<"elementAt">): Answer<"elementAt"> {
  startFrom(request.floor);
  const element = elementAt(request.point.x, request.point.y);
  if (!element) throw noTarget(`The point ${request.point.x}, ${request.point.y} is not in view.`, { hint: `The view has ${innerWidth} × ${innerHeight} pixels.` });
  const box = innerBox(element);
  return { ref: refOf(element), next: nextRef(), at: { x: request.point.x - box.x, y: request.point.y - box.y } };
}

export const digests = (request: PageRequest<"digests">): string => sha256(request.targets.map((target) => snapshotOf(resolve(target)).digest).join(" ")).slice(0, 32);

export const box = (request: PageRequest<"boxOf">): Answer<"boxOf"> => {
  const { x, y, width, height } = innerBox(resolve(request.target));
  return { x, y, w: width, h: height };
};

const control = (element: Element): Element => (element instanceof HTMLLabelElement && element.control) || element;

export function fieldKind(request: PageRequest<"fieldKind">): Answer<"fieldKind"> {
  const element = control(resolve(request.target));
  if (element instanceof HTMLSelectElement) return "select";
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) return "check";
  if (/^(checkbox|radio|switch)$/.test(element.getAttribute("role") ?? "")) return "check";
  if (element instanceof HTMLInputElement && /^(button|submit|reset|image|file)$/.test(element.type)) return "other";
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || (element as HTMLElement).isContentEditable ? "text" : "other";
}

export function isChecked(request: PageRequest<"isChecked">): boolean {
  const element = control(resolve(request.target));
  return element instanceof HTMLInputElement ? element.checked : element.getAttribute("aria-checked") === "true";
}

const ROLES = "[role=option],[role=menuitem],[role=menuitemradio],[role=treeitem]";
const OPTION = `${ROLES},li,option:not(select option),td,a,button,label`;

/** What was shown before a list was opened isn't in it. */
let shownBefore = new WeakSet<Element>();

/** Options by their role first, then anything clickable with that text. */
export function option(request: PageRequest<"option">): Answer<"option"> {
  startFrom(request.floor);
  const label = tidy(request.label).toLowerCase();
  const sight = new Visibility(false);
  const isOpen = (element: Element): boolean => isShown(element) && !areEmpty(overlap(boxOf(element), sight.clipOf(element)));
  const roles = [...document.querySelectorAll(ROLES)].filter(isOpen);
  const all = [...roles, ...visibleAmong(candidates()).map(({ element }) => element), ...[...document.querySelectorAll(OPTION)].filter(isOpen)];
  if (request.opener) {
    const opener = resolve(request.opener);
    const isExpanded = opener.getAttribute("aria-expanded") === "true";
    shownBefore = new WeakSet(isExpanded ? [opener] : all.filter((one) => one === opener || !mayBeIn(one, opener)));
  }
  const shown = all.filter((one) => !shownBefore.has(one));
  const labelOf = (element: Element): string => tidy(nameOf(element) || textOf(element, false));
  const match = shown.find((one) => labelOf(one).toLowerCase() === label);
  if (match) return { ref: refOf(match), next: nextRef() };
  const news = shown.filter((one) => roles.includes(one));
  return { labels: [...new Set((news.length ? news : shown).map(labelOf).filter(Boolean))].slice(0, 50) };
}

/** Inside the element, or in something over the page that the element isn't in. */
function mayBeIn(one: Element, opener: Element): boolean {
  const popup = containsAcross(opener, one) ? null : popupAround(one);
  return popup ? !containsAcross(popup, opener) : containsAcross(opener, one);
}

/** Selects the whole element, or the first occurrence of the text in it. */
export function selectText(request: PageRequest<"selectText">): string {
  const element = resolve(request.target);
  checkShown(element, request.expected);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.focus();
    const at = request.text === undefined ? 0 : element.value.indexOf(request.text);
    if (at < 0) throw noTarget(`${describe(element)} does not say ${JSON.stringify(request.text)}.`);
    element.setSelectionRange(at, request.text === undefined ? element.value.length : at + request.text.length);
    return element.value.slice(element.selectionStart ?? 0, element.selectionEnd ?? 0);
  }
  if ((element as HTMLElement).isContentEditable) (element as HTMLElement).focus();
  const range = document.createRange();
  range.selectNodeContents(element);
  if (request.text !== undefined) narrow(range, element, request.text);
  const selection = getSelection()!;
  selection.removeAllRanges();
  selection.addRange(range);
  return selection.toString();
}

function narrow(range: Range, element: Element, text: string): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(node as Text);
  const at = nodes.map((node) => node.data).join("").indexOf(text);
  if (at < 0) throw noTarget(`${describe(element)} does not say ${JSON.stringify(text)}.`);
  const place = (offset: number, isEnd: boolean): [Text, number] => {
    let left = offset;
    for (const node of nodes) {
      if (left < node.length || (isEnd && left === node.length)) return [node, left];
      left -= node.length;
    }
    return [nodes.at(-1)!, nodes.at(-1)!.length];
  };
  range.setStart(...place(at, false));
  range.setEnd(...place(at + text.length, true));
}
