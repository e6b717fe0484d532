/** What is asked about elements around the acts: what lies at a point, what they are now, what an open list offers. */

import type { Answer, Ask } from "./api";
import { candidates } from "./candidates";
import { describe } from "./description";
import { noTarget } from "./failure";
import { innerBox, isShown } from "./geometry";
import { visibleAmong } from "./index_page";
import { nameOf, textOf, tidy } from "./names";
import { nextRef, refOf, resolve, startFrom } from "./refs";
import { elementAt } from "./shadow";
import { checkShown, seen } from "./shown";
import { sha256 } from "./sha256";

export function atPoint(ask: Ask<"elementAt">): Answer<"elementAt"> {
  startFrom(ask.floor);
  const element = elementAt(ask.point.x, ask.point.y);
  if (!element) throw noTarget(`The point ${ask.point.x}, ${ask.point.y} is not in view.`, { hint: `The view has ${innerWidth} × ${innerHeight} pixels.` });
  const box = innerBox(element);
  return { ref: refOf(element), next: nextRef(), at: { x: ask.point.x - box.x, y: ask.point.y - box.y } };
}

export const digests = (ask: Ask<"digests">): string => sha256(ask.targets.map((target) => seen(resolve(target)).digest).join(" ")).slice(0, 32);

export const box = (ask: Ask<"boxOf">): Answer<"boxOf"> => {
  const { x, y, width, height } = innerBox(resolve(ask.target));
  return { x, y, w: width, h: height };
};

const control = (element: Element): Element => (element instanceof HTMLLabelElement && element.control) || element;

export function fieldKind(ask: Ask<"fieldKind">): Answer<"fieldKind"> {
  const element = control(resolve(ask.target));
  if (element instanceof HTMLSelectElement) return "select";
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) return "check";
  if (/^(checkbox|radio|switch)$/.test(element.getAttribute("role") ?? "")) return "check";
  if (element instanceof HTMLInputElement && /^(button|submit|reset|image|file)$/.test(element.type)) return "other";
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || (element as HTMLElement).isContentEditable ? "text" : "other";
}

export function isChecked(ask: Ask<"isChecked">): boolean {
  const element = control(resolve(ask.target));
  return element instanceof HTMLInputElement ? element.checked : element.getAttribute("aria-checked") === "true";
}

const OPTION = "[role=option],[role=menuitem],[role=menuitemradio],[role=treeitem],li,option,td,a,button,label";

/** Of what is shown now: options by their role first, then whatever can be clicked and says so. */
export function option(ask: Ask<"option">): Answer<"option"> {
  startFrom(ask.floor);
  const wanted = tidy(ask.label).toLowerCase();
  const roles = [...document.querySelectorAll("[role=option],[role=menuitem],[role=menuitemradio],[role=treeitem]")].filter(isShown);
  const shown = [...roles, ...visibleAmong(candidates()).map(({ element }) => element), ...[...document.querySelectorAll(OPTION)].filter(isShown)];
  const labelOf = (element: Element): string => tidy(nameOf(element) || textOf(element, false));
  const found = shown.find((one) => labelOf(one).toLowerCase() === wanted);
  if (found) return { ref: refOf(found), next: nextRef() };
  return { labels: [...new Set((roles.length ? roles : shown).map(labelOf).filter(Boolean))].slice(0, 50) };
}

/** The whole element, or the first place in it that says this. */
export function selectText(ask: Ask<"selectText">): string {
  const element = resolve(ask.target);
  checkShown(element, ask.expected);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.focus();
    const at = ask.text === undefined ? 0 : element.value.indexOf(ask.text);
    if (at < 0) throw noTarget(`${describe(element)} does not say ${JSON.stringify(ask.text)}.`);
    element.setSelectionRange(at, ask.text === undefined ? element.value.length : at + ask.text.length);
    return element.value.slice(element.selectionStart ?? 0, element.selectionEnd ?? 0);
  }
  if ((element as HTMLElement).isContentEditable) (element as HTMLElement).focus();
  const range = document.createRange();
  range.selectNodeContents(element);
  if (ask.text !== undefined) narrow(range, element, ask.text);
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
