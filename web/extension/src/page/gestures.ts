/**
 * Clicks, hovers, keys and choices made by script, for pages that the debugger can't reach; the events aren't trusted.
 */

import type { PageRequest } from "./api";
import { aim } from "./aim";
import { describe } from "./description";
import { noTarget } from "./failure";
import { guard, verdict } from "./guard";
import { resolve } from "./refs";
import { activeElement } from "./shadow";
import { checkShown } from "./element_snapshot";
import { isDisabled } from "./states";

export async function clickInPage(request: PageRequest<"clickInPage">): Promise<void> {
  const { point } = await aim({ ...request, purpose: "click" });
  const element = resolve(request.target);
  guard(element, request.expected);
  const where = { bubbles: true, cancelable: true, composed: true, view: window, clientX: point.x, clientY: point.y, button: 0 };
  element.dispatchEvent(new PointerEvent("pointerdown", { ...where, pointerId: 1, isPrimary: true, buttons: 1 }));
  element.dispatchEvent(new MouseEvent("mousedown", { ...where, buttons: 1 }));
  (element as HTMLElement).focus?.({ preventScroll: true });
  element.dispatchEvent(new PointerEvent("pointerup", { ...where, pointerId: 1, isPrimary: true }));
  element.dispatchEvent(new MouseEvent("mouseup", where));
  verdict({ isPressed: false });
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent("click", where));
}

export async function hoverInPage(request: PageRequest<"hoverInPage">): Promise<void> {
  const { point } = await aim({ ...request, purpose: "hover" });
  const element = resolve(request.target);
  const where = { bubbles: true, composed: true, view: window, clientX: point.x, clientY: point.y };
  for (const type of ["pointerover", "pointerenter", "pointermove"]) element.dispatchEvent(new PointerEvent(type, { ...where, bubbles: !type.endsWith("enter") }));
  for (const type of ["mouseover", "mouseenter", "mousemove"]) element.dispatchEvent(new MouseEvent(type, { ...where, bubbles: !type.endsWith("enter") }));
}

export function press(request: PageRequest<"press">): void {
  const element = request.target ? resolve(request.target) : activeElement();
  guard(element, request.expected);
  if (request.target) (element as HTMLElement).focus?.();
  const has = (name: string): boolean => request.modifiers.includes(name);
  const keys = { key: request.key, code: request.code, bubbles: true, cancelable: true, composed: true, ctrlKey: has("Control"), shiftKey: has("Shift"), altKey: has("Alt"), metaKey: has("Meta") };
  element.dispatchEvent(new KeyboardEvent("keydown", keys));
  element.dispatchEvent(new KeyboardEvent("keyup", keys));
}

/** Chooses by value or label; all of them or none. */
export function select(request: PageRequest<"select">): string[] {
  const element = resolve(request.target);
  const list = element instanceof HTMLLabelElement ? element.control : element;
  if (!(list instanceof HTMLSelectElement)) throw noTarget(`${describe(element)} is no <select>.`, { hint: "Click it and choose among what opens." });
  if (isDisabled(list)) throw noTarget(`${describe(list)} is disabled.`, { disabled: true });
  if (!list.multiple && request.values.length !== 1) throw noTarget(`${describe(list)} takes exactly one value, not ${request.values.length}.`);
  const options = request.values.map((value) => {
    const options = [...list.options];
    const option = options.find((one) => one.value === value) ?? options.find((one) => one.label.trim() === value.trim());
    if (!option) throw noTarget(`${describe(list)} has no option ${JSON.stringify(value)}.`, { options: options.slice(0, 50).map((one) => one.label) });
    if (option.disabled) throw noTarget(`The option ${JSON.stringify(value)} is disabled.`);
    return option;
  });
  checkShown(element, request.expected);
  for (const option of list.options) option.selected = options.includes(option);
  list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
  return [...list.selectedOptions].map((option) => option.label);
}
