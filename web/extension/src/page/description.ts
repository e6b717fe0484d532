/** Elements in a few words: for the agent an entry and its line, for a person tag, id and name. */

import type { IndexedElement } from "./api";
import { nameOf, roleOf, shorten, textOf, tidy } from "./names";
import { refOf } from "./refs";
import { statesOf, valueOf } from "./states";

/** `div#cookie-banner "Accept all"` */
export function describe(element: Element): string {
  const id = element.id ? `#${element.id}` : element.classList.length ? `.${element.classList[0]}` : "";
  const name = shorten(nameOf(element) || textOf(element, false), 60);
  return `${element.localName}${id}${name ? ` "${name}"` : ""}`;
}

export function entryOf(element: Element): Omit<IndexedElement, "isInView"> {
  // Where only the label of a control is shown, it stands for the control.
  const subject = (element instanceof HTMLLabelElement && element.control) || element;
  const role = roleOf(subject);
  const entry: Omit<IndexedElement, "isInView"> = { ref: refOf(element), tag: element.localName, role, name: nameOf(subject, role) };
  const text = element.firstElementChild === null ? shorten(tidy(element.textContent ?? "")) : entry.name;
  if (text) entry.text = text;
  const value = valueOf(subject);
  if (value) entry.value = value;
  const states = statesOf(subject);
  if (states.length) entry.states = states;
  return entry;
}

/** `12 button "Save" disabled` */
export function lineOf(entry: Omit<IndexedElement, "isInView">): string {
  const parts = [String(entry.ref), entry.role === "generic" ? entry.tag : entry.role, JSON.stringify(entry.name)];
  if (entry.value) parts.push(`= ${JSON.stringify(entry.value)}`);
  return [...parts, ...(entry.states ?? []).filter((state) => state !== "focused")].join(" ");
}
