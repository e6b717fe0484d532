/**
 * What a form would send and where to. Reads forms through the prototype, because their own fields may shadow
 * properties such as "action".
 */

import { isInstalledFirst } from "./early_events";
import { nameOf, tidy } from "./names";
import { sha256 } from "./sha256";
import { closestAcross, localNameOf, shadowRootOf } from "./shadow";

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement;
/** `value` is what a person may see; `exact` is what is compared, a hash if it is a password. */
export interface Value { name: string; kind: string; value: string; exact: string; element: Element }
/** `by`: a link, a button that sends the form, or the form of a field, which sends it only with Enter. */
export interface Destination { method: string; url: string; by: "link" | "button" | "form" }

const MOST_LOOSE_FIELDS = 200;
const PASSWORD = "••••••";
const SENDS_NOTHING = new Set(["button", "submit", "reset", "image"]);
/** Never leaves this document: an unsalted hash of a password could be guessed. */
const salt = String.fromCharCode(...globalThis.crypto.getRandomValues(new Uint16Array(16)).map((one) => one % 0xd800));

function getter<T>(prototype: object, name: string): (of: object) => T {
  const read = Object.getOwnPropertyDescriptor(prototype, name)!.get!;
  return (of) => read.call(of) as T;
}

const actionOf = getter<string>(HTMLFormElement.prototype, "action");
const methodOf = getter<string>(HTMLFormElement.prototype, "method");
const elementsOf = getter<HTMLFormControlsCollection>(HTMLFormElement.prototype, "elements");

/** The control that a click on the element would use: a label stands for its control. */
export function controlOf(element: Element): Element {
  return (element instanceof HTMLLabelElement && element.control) || element;
}

export function formOf(element: Element): HTMLFormElement | null {
  const control = controlOf(element);
  const own = (control as Control).form;
  if (!(control instanceof HTMLFormElement) && own instanceof HTMLFormElement) return own;
  return closestAcross(control, (one) => one instanceof HTMLFormElement) as HTMLFormElement | null;
}

function isSubmitter(element: Element): element is HTMLButtonElement | HTMLInputElement {
  return (element instanceof HTMLButtonElement && element.type === "submit") || (element instanceof HTMLInputElement && (element.type === "submit" || element.type === "image"));
}

export function destinationOf(element: Element): Destination | undefined {
  const control = controlOf(element);
  const link = closestAcross(control, (one) => one.matches("a[href],area[href]")) as HTMLAnchorElement | null;
  if (link) return { method: "GET", url: link.href, by: "link" };
  const form = formOf(control);
  if (!form) return undefined;
  const submitter = closestAcross(control, isSubmitter) as HTMLButtonElement | null;
  const url = submitter?.hasAttribute("formaction") ? submitter.formAction : actionOf(form);
  const method = submitter?.hasAttribute("formmethod") ? submitter.formMethod : methodOf(form);
  return { method: method.toUpperCase(), url, by: submitter ? "button" : "form" };
}

/** In which form the browser writes the values. */
export function encodingOf(element: Element): string {
  const form = formOf(element);
  const submitter = closestAcross(controlOf(element), isSubmitter);
  const own = (name: string): string => (form && Element.prototype.getAttribute.call(form, name)) ?? "";
  return [submitter?.getAttribute("formenctype") ?? own("enctype"), own("accept-charset")].join(" ");
}

/** A password in the form in which it is compared. */
export const hashed = (password: string): string => password && sha256(salt + password);

/** Values of the whole form including hidden fields; for an element without a form, of the fields `around` it. */
export function valuesOf(element: Element, around: Element | null): Value[] {
  const form = formOf(element);
  const controls = form ? [...elementsOf(form)] : around ? [...around.querySelectorAll("input,select,textarea")].slice(0, MOST_LOOSE_FIELDS) : [];
  const submitter = closestAcross(controlOf(element), isSubmitter);
  return [...controls.flatMap((control) => valueOf(control, control === submitter) ?? []), ...(form ? customValues(form, controls) : [])];
}

const isCustom = (control: Element): boolean => localNameOf(control).includes("-");
let isCollecting = false;

/** Whether a form's values are only being read: its page must not hear of it. */
export const isOnlyRead = (event: Event): boolean => isCollecting && event.type === "formdata";

/** What custom elements send with their form, which only the form itself can tell. */
function customValues(form: HTMLFormElement, controls: Element[]): Value[] {
  const custom = controls.filter(isCustom);
  if (!custom.length || !isInstalledFirst()) return [];
  const others = new Set(controls.filter((control) => !isCustom(control)).map((control) => (control as Control).name));
  const entries = sentBy(form).filter(([name]) => !others.has(name));
  return entries.map(([name, sent]) => {
    const element = custom.find((one) => one.getAttribute("name") === name) ?? form;
    const value = typeof sent === "string" ? sent : sent.name;
    if (isSecret(element)) return { name, kind: "password", value: value ? PASSWORD : "", exact: hashed(value), element };
    return { name, kind: typeof sent === "string" ? "custom" : "file", value, exact: value, element };
  });
}

function sentBy(form: HTMLFormElement): [string, FormDataEntryValue][] {
  isCollecting = true;
  try {
    return [...new FormData(form)];
  } catch {
    return []; // the browser is collecting them itself
  } finally {
    isCollecting = false;
  }
}

/** Custom elements that hold a password have a field for it, or say so. */
const isSecret = (element: Element): boolean => element.getAttribute("type") === "password" || /password/i.test(element.getAttribute("name") ?? "") || shadowRootOf(element)?.querySelector("input[type=password]") != null;

function valueOf(control: Element, isSubmitting: boolean): Value | undefined {
  if (control.matches(":disabled")) return undefined;
  const kind = control instanceof HTMLInputElement ? control.type : control.localName;
  const makeValue = (value: string, exact = value): Value => ({ name: (control as Control).name || nameOf(control), kind, value, exact, element: control });
  if (control instanceof HTMLButtonElement || SENDS_NOTHING.has(kind)) return isSubmitting && (control as Control).name ? makeValue((control as Control).value) : undefined;
  if (control instanceof HTMLSelectElement) {
    const selected = [...control.selectedOptions];
    return makeValue(selected.map((option) => tidy(option.label)).join(", "), JSON.stringify(selected.map((option) => option.value)));
  }
  if (control instanceof HTMLTextAreaElement) return makeValue(control.value);
  if (!(control instanceof HTMLInputElement)) return undefined;
  if (kind === "checkbox" || kind === "radio") return control.checked ? makeValue(control.value) : undefined;
  if (kind === "password") return makeValue(control.value ? PASSWORD : "", hashed(control.value));
  if (kind === "file") return makeValue([...(control.files ?? [])].map((file) => file.name).join(", "));
  return makeValue(control.value);
}

