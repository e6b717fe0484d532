/** Puts the caret where text should go, and writes text without a keyboard if there is none. */

import type { PageRequest, FieldKind, Target } from "./api";
import { bringIntoView } from "./aim";
import { watch } from "./changes";
import { describe } from "./description";
import { noTarget, Refusal } from "./failure";
import { nextFrame } from "./frame_clock";
import { guard, verdict } from "./guard";
import { isShown } from "./geometry";
import { resolve } from "./refs";
import { shadowRootOf } from "./shadow";
import { isDisabled } from "./states";

const TEXTUAL = new Set(["text", "search", "url", "tel", "email", "password", "number"]);
/** Fields whose keys depend on the locale; their value has one fixed format. */
const FORMATTED: Record<string, string> = {
  date: "YYYY-MM-DD", time: "hh:mm", "datetime-local": "YYYY-MM-DDThh:mm", month: "YYYY-MM", week: "YYYY-Www", color: "#rrggbb", range: "a number",
};

type Field = HTMLInputElement | HTMLTextAreaElement;

function kindOf(element: Element): FieldKind | null {
  if (element instanceof HTMLTextAreaElement) return "text";
  if (element instanceof HTMLInputElement) return TEXTUAL.has(element.type) ? "text" : element.type in FORMATTED ? "formatted" : null;
  return element instanceof HTMLElement && element.isContentEditable ? "editable" : null;
}

/** The element itself, or the only field inside it: custom elements wrap theirs. */
function fieldOf(element: Element): Element {
  if (kindOf(element)) return element;
  const roots = [element, shadowRootOf(element)].filter((root) => root !== null);
  const inner = roots.flatMap((root) => [...root.querySelectorAll("input,textarea,[contenteditable]:not([contenteditable=false])")]).filter(kindOf);
  const labelled = element instanceof HTMLLabelElement ? element.control : null;
  if (labelled && kindOf(labelled)) return labelled;
  if (inner.length === 1) return inner[0]!;
  throw noTarget(`${describe(element)} takes no text.`, { hint: "Choose a text field." });
}

function writable(target: Target): Element {
  const field = fieldOf(resolve(target));
  const isReadOnly = (field as Field).readOnly || field.getAttribute("aria-readonly") === "true";
  if (isDisabled(field) || isReadOnly) throw noTarget(`${describe(field)} is ${isReadOnly ? "read-only" : "disabled"}.`);
  bringIntoView(field);
  if (!isShown(field)) throw noTarget(`${describe(field)} is not visible.`, { hint: "Index the page again." });
  return field;
}

/** Focuses the field with its content selected, so that typing replaces it, or with the caret at its end to append. */
export async function focus(request: PageRequest<"focus">): Promise<FieldKind> {
  const field = writable(request.target);
  const kind = kindOf(field)!;
  guard(resolve(request.target), request.expected, field);
  watch();
  (field as HTMLElement).focus({ preventScroll: true });
  const root = field.getRootNode() as Document | ShadowRoot;
  if (root.activeElement !== field) {
    // Some widgets hand the focus on to another of their fields.
    await nextFrame();
    const holder = root.activeElement;
    if (!holder || !kindOf(holder)) throw noTarget(`${describe(field)} does not take the focus.`, { hint: "Click it first." });
  }
  if (kind !== "formatted") request.append ? caretToEnd(field) : selectAll(field);
  return kind;
}

function selectAll(field: Element): void {
  if (kindOf(field) === "text") (field as Field).select();
  else getSelection()?.selectAllChildren(field);
}

function caretToEnd(field: Element): void {
  if (kindOf(field) === "editable") {
    getSelection()?.selectAllChildren(field);
    getSelection()?.collapseToEnd();
    return;
  }
  const end = (field as Field).value.length;
  // Number and email fields have no caret that scripts can set.
  if ((field as Field).selectionStart !== null) (field as Field).setSelectionRange(end, end);
}

/** Through the prototype's setter: frameworks replace the element's own to notice who writes. */
function setValue(field: Field, value: string): void {
  const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")!.set!.call(field, value);
}

/** With `isTrusted` through the browser's own editing, which pages hear as trusted input, otherwise by script. */
export async function write(request: PageRequest<"write">): Promise<FieldKind> {
  await focus(request);
  const field = fieldOf(resolve(request.target));
  const kind = kindOf(field)!;
  verdict({ isPressed: false });
  if (kind === "text" && request.isTrusted) {
    document.execCommand(request.text ? "insertText" : "delete", false, request.text);
  } else if (kind === "editable") {
    // The only way to write into an editor that its own undo and events notice.
    if (!document.execCommand(request.text ? "insertText" : "delete", false, request.text)) throw new Refusal("INVALID_TARGET", `${describe(field)} refused the text.`);
  } else {
    const before = (field as Field).value;
    setValue(field as Field, request.append && kind === "text" ? before + request.text : request.text);
    if (kind === "formatted" && (field as Field).value !== request.text && (field as HTMLInputElement).type !== "range") {
      setValue(field as Field, before);
      const format = FORMATTED[(field as HTMLInputElement).type];
      throw noTarget(`${describe(field)} takes only ${format}.`, { format, hint: `Write the value as ${format}.` });
    }
    field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: request.text }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (!request.isSubmitted) return kind;
  verdict({ isPressed: false });
  submit(field);
  return kind;
}

function submit(field: Element): void {
  for (const type of ["keydown", "keypress", "keyup"]) {
    const isTaken = !field.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", bubbles: true, cancelable: true, composed: true }));
    if (isTaken) return;
  }
  if (field instanceof HTMLInputElement) field.form?.requestSubmit();
}

/** The field's current content; null for passwords, which are never returned. */
export function fieldValue(target: Target): string | null {
  const field = fieldOf(resolve(target));
  if (field instanceof HTMLInputElement && field.type === "password") return null;
  return kindOf(field) === "editable" ? (field as HTMLElement).innerText : (field as Field).value;
}
