/** An element's value and states; never the value of a password. */

import { shorten, tidy } from "./names";

const ARIA = ["checked", "pressed", "selected", "expanded", "current", "invalid", "required", "readonly", "busy"] as const;
const NO_VALUE = new Set(["password", "checkbox", "radio", "submit", "reset", "button", "image", "file", "hidden"]);

export function valueOf(element: Element): string | undefined {
  if (element instanceof HTMLInputElement) return NO_VALUE.has(element.type) ? undefined : shorten(element.value);
  if (element instanceof HTMLTextAreaElement) return shorten(tidy(element.value));
  if (element instanceof HTMLSelectElement) return shorten([...element.selectedOptions].map((one) => tidy(one.label)).join(", "));
  if (element instanceof HTMLElement && element.isContentEditable) return shorten(tidy(element.innerText));
  return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? undefined;
}

export function isDisabled(element: Element): boolean {
  return element.matches(":disabled") || element.getAttribute("aria-disabled") === "true";
}

export function statesOf(element: Element): string[] {
  const states: string[] = [];
  if (isDisabled(element)) states.push("disabled");
  if (element instanceof HTMLInputElement) {
    if (element.indeterminate) states.push("mixed");
    else if (element.checked) states.push("checked");
  }
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (element.readOnly) states.push("readonly");
    if (element.required) states.push("required");
  }
  if (element.tagName === "SUMMARY") states.push((element.parentElement as HTMLDetailsElement | null)?.open ? "expanded" : "collapsed");
  for (const name of ARIA) {
    const value = element.getAttribute(`aria-${name}`);
    if (value === null || value === "" || (value === "false" && name !== "expanded")) continue;
    const state = name === "expanded" && value === "false" ? "collapsed" : value === "mixed" ? "mixed" : name;
    if (!states.includes(state)) states.push(state);
  }
  const root = element.getRootNode() as Document | ShadowRoot;
  if (root.activeElement === element) states.push("focused");
  return states;
}
