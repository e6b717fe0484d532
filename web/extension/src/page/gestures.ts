/** Clicks, hovers, keys and choices made by script, for pages that the debugger can't reach; not trusted events. */

import type { Ask } from "./api";
import { aim } from "./aim";
import { describe } from "./description";
import { noTarget } from "./failure";
import { guard, verdict } from "./guard";
import { resolve } from "./refs";
import { activeElement } from "./shadow";
import { checkShown } from "./shown";
import { isDisabled } from "./states";

export async function clickInPage(ask: Ask<"clickInPage">): Promise<void> {
  const { point } = await aim({ ...ask, purpose: "click" });
  const element = resolve(ask.target);
  guard(element, ask.expected);
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

export async function hoverInPage(ask: Ask<"hoverInPage">): Promise<void> {
  const { point } = await aim({ ...ask, purpose: "hover" });
  const element = resolve(ask.target);
  const where = { bubbles: true, composed: true, view: window, clientX: point.x, clientY: point.y };
  for (const type of ["pointerover", "pointerenter", "pointermove"]) element.dispatchEvent(new PointerEvent(type, { ...where, bubbles: !type.endsWith("enter") }));
  for (const type of ["mouseover", "mouseenter", "mousemove"]) element.dispatchEvent(new MouseEvent(type, { ...where, bubbles: !type.endsWith("enter") }));
}

export function press(ask: Ask<"press">): void {
  const element = ask.target ? resolve(ask.target) : activeElement();
  guard(element, ask.expected);
  if (ask.target) (element as HTMLElement).focus?.();
  const has = (name: string): boolean => ask.modifiers.includes(name);
  const keys = { key: ask.key, code: ask.code, bubbles: true, cancelable: true, composed: true, ctrlKey: has("Control"), shiftKey: has("Shift"), altKey: has("Alt"), metaKey: has("Meta") };
  element.dispatchEvent(new KeyboardEvent("keydown", keys));
  element.dispatchEvent(new KeyboardEvent("keyup", keys));
}

/** By value or by label; all of them or none. */
export function select(ask: Ask<"select">): string[] {
  const element = resolve(ask.target);
  const list = element instanceof HTMLLabelElement ? element.control : element;
  if (!(list instanceof HTMLSelectElement)) throw noTarget(`${describe(element)} is no <select>.`, { hint: "Click it and choose among what opens." });
  if (isDisabled(list)) throw noTarget(`${describe(list)} is disabled.`, { disabled: true });
  if (!list.multiple && ask.values.length !== 1) throw noTarget(`${describe(list)} takes exactly one value, not ${ask.values.length}.`);
  const chosen = ask.values.map((value) => {
    const options = [...list.options];
    const option = options.find((one) => one.value === value) ?? options.find((one) => one.label.trim() === value.trim());
    if (!option) throw noTarget(`${describe(list)} has no option ${JSON.stringify(value)}.`, { options: options.slice(0, 50).map((one) => one.label) });
    if (option.disabled) throw noTarget(`The option ${JSON.stringify(value)} is disabled.`);
    return option;
  });
  checkShown(element, ask.expected);
  for (const option of list.options) option.selected = chosen.includes(option);
  list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
  return [...list.selectedOptions].map((option) => option.label);
}
