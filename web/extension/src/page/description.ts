/** Describes elements in a few words: for the agent an entry and its line, for a person tag, id and name. */

import type { Identity, IndexedElement } from "./api";
import { CONTROL, nameOf, roleOf, shorten, textOf, tidy } from "./names";
import { refOf } from "./refs";
import { SeenText } from "./seen_text";
import { statesOf, valueOf } from "./states";

/** `div#cookie-banner "Accept all"` */
export function describe(element: Element): string {
  const id = element.id ? `#${element.id}` : element.classList.length ? `.${element.classList[0]}` : "";
  const name = shorten(nameOf(element) || textOf(element, false), 60);
  return `${element.localName}${id}${name ? ` "${name}"` : ""}`;
}

/**
 * Helps to recognise an element without a name: an icon's last class (usually its own), an id, or the text beside it.
 */
export function hintOf(element: Element): string {
  const drawn = element.querySelector("svg use, i[class], span[class], img[src]");
  const around = drawn?.closest("a,button,[role]");
  const icon = around && around !== element && element.contains(around) ? null : drawn;
  const source = icon?.getAttribute("href") ?? icon?.getAttribute("xlink:href") ?? icon?.getAttribute("src")?.split(/[?#]/)[0]?.split("/").at(-1) ?? icon?.classList.item(icon.classList.length - 1);
  const beside = shownIn(element.nextElementSibling) || shownIn(element.previousElementSibling);
  const hint = tidy(element.getAttribute("title") ?? "") || element.id || tidy(element.getAttribute("name") ?? "") || tidy(source ?? "") || tidy(element.getAttribute("class") ?? "");
  const words = [hint && `#${shorten(hint, 40)}`, beside && `beside ${JSON.stringify(shorten(beside, 30))}`].filter(Boolean);
  return words.length ? `(${words.join(" ")})` : "";
}

const shownIn = (element: Element | null): string => (element?.checkVisibility({ visibilityProperty: true }) ? textOf(element, false, undefined, 60) : "");

/** If only the label of a control is shown, it stands for the control. */
const subjectOf = (element: Element): Element => (element instanceof HTMLLabelElement && element.control) || element;

/** What distinguishes it from other elements; assigns no number. */
export function identityOf(element: Element): Identity {
  const subject = subjectOf(element);
  const role = roleOf(subject);
  return { tag: element.localName, role, name: nameOf(subject, role) };
}

export function entryOf(element: Element): Omit<IndexedElement, "isInView"> {
  const subject = subjectOf(element);
  const entry: Omit<IndexedElement, "isInView"> = { ref: refOf(element), ...identityOf(element) };
  const text = element.firstElementChild === null ? shorten(tidy(element.textContent ?? "")) : entry.name;
  if (text) entry.text = text;
  const value = valueOf(subject);
  if (value) entry.value = value;
  const states = statesOf(subject);
  if (states.length) entry.states = states;
  const hint = shownInstead(element, entry) || (entry.name || text ? "" : hintOf(element));
  if (hint) entry.hint = hint;
  return entry;
}

const WORDED = new Set(["button", "link", "generic", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "tab", "treeitem", "gridcell"]);
const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** What a person reads on it, if a page gives assistive technology other words. */
function shownInstead(element: Element, { role, name }: Identity): string {
  const isRenamed = element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
  // What is around controls, such as a map, doesn't have their words as its own.
  const isAround = role === "generic" && element.querySelector(CONTROL) !== null;
  if (!WORDED.has(role) || !(isRenamed || (!name && element.firstElementChild && !isAround))) return "";
  const shown = new SeenText().of(element, LONGEST_SHOWN);
  const told = new Set(words(name));
  return words(shown).every((word) => told.has(word)) ? "" : `(shows ${JSON.stringify(shorten(shown, LONGEST_SHOWN))})`;
}

const LONGEST_SHOWN = 60;

/** `12 button "Save" disabled` */
export function lineOf(entry: Omit<IndexedElement, "isInView">): string {
  const parts = [String(entry.ref), entry.role === "generic" ? entry.tag : entry.role, JSON.stringify(entry.name)];
  if (entry.hint) parts.push(entry.hint);
  if (entry.value) parts.push(`= ${JSON.stringify(entry.value)}`);
  return [...parts, ...(entry.states ?? []).filter((state) => state !== "focused")].join(" ");
}
