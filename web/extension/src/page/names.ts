/** An element's role and name as a screen reader would announce them: the accname algorithm without CSS content. */

const LONGEST = 120;
const ROLES: Record<string, string> = {
  A: "link", AREA: "link", BUTTON: "button", SUMMARY: "button", TEXTAREA: "textbox", OPTION: "option", DETAILS: "group",
  IMG: "img", NAV: "navigation", DIALOG: "dialog", LABEL: "label", VIDEO: "video", AUDIO: "audio", IFRAME: "iframe", OUTPUT: "status",
};
const INPUT_ROLES: Record<string, string> = {
  checkbox: "checkbox", radio: "radio", button: "button", submit: "button", reset: "button", image: "button",
  range: "slider", number: "spinbutton", search: "searchbox", file: "file", color: "color", date: "date", time: "time",
  "datetime-local": "datetime", month: "month", week: "week",
};
/** Roles that are not named by their content. */
const NOT_FROM_CONTENT = new Set([
  "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "dialog", "alertdialog", "group", "img", "video", "audio",
  "iframe", "file", "color", "date", "time", "datetime", "month", "week",
]);

export const tidy = (text: string): string => text.replace(/\s+/g, " ").trim();
export const shorten = (text: string, most = LONGEST): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function roleOf(element: Element): string {
  const explicitRole = element.getAttribute("role")?.trim().split(/\s+/)[0];
  if (explicitRole && explicitRole !== "presentation" && explicitRole !== "none") return explicitRole;
  if (element instanceof HTMLInputElement) return element.list ? "combobox" : (INPUT_ROLES[element.type] ?? "textbox");
  if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (element.tagName === "A" && !element.hasAttribute("href")) return "generic";
  if (element instanceof HTMLElement && element.isContentEditable) return "textbox";
  return ROLES[element.tagName] ?? "generic";
}

export function nameOf(element: Element, role: string = roleOf(element)): string {
  return shorten(
    labelledBy(element) ||
      tidy(element.getAttribute("aria-label") ?? "") ||
      nativeName(element) ||
      (NOT_FROM_CONTENT.has(role) ? "" : contentOf(element, role)) ||
      tidy(element.getAttribute("title") ?? "") ||
      tidy(element.getAttribute("placeholder") ?? element.getAttribute("aria-placeholder") ?? ""),
  );
}

function labelledBy(element: Element): string {
  const ids = element.getAttribute("aria-labelledby");
  if (!ids) return "";
  const root = element.getRootNode() as Document | ShadowRoot;
  const parts = ids.trim().split(/\s+/).map((id) => root.getElementById(id));
  // A hidden label still counts if it is referenced.
  return tidy(parts.map((part) => (part ? tidy(part.getAttribute("aria-label") ?? "") || nativeName(part) || textOf(part, true) : "")).join(" "));
}

function nativeName(element: Element): string {
  if (element instanceof HTMLInputElement) {
    if (element.type === "submit" || element.type === "reset" || element.type === "button") {
      const fallback = { submit: "Submit", reset: "Reset", button: "" }[element.type];
      return tidy(element.value) || labelsOf(element) || fallback;
    }
    if (element.type === "image") return tidy(element.alt || element.value);
    return labelsOf(element);
  }
  if (element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement || element instanceof HTMLOutputElement) return labelsOf(element);
  if (element instanceof HTMLImageElement || element instanceof HTMLAreaElement) return tidy(element.alt);
  if (element.tagName === "FIELDSET") return childText(element, "legend");
  if (element instanceof SVGElement) return childText(element, "title") || tidy(element.getAttribute("xlink:title") ?? "");
  return "";
}

const labelsOf = (element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLOutputElement): string =>
  element.labels?.length ? tidy([...element.labels].map((label) => textOf(label, false, element)).join(" ")) : "";

const childText = (element: Element, tag: string): string => tidy(element.querySelector(`:scope > ${tag}`)?.textContent ?? "");

/** Most elements contain one text and nothing else, so no walk is needed. */
function contentOf(element: Element, role: string): string {
  if (element.firstElementChild === null) return tidy(element.textContent ?? "");
  // An element that only listens, around a control with its own line, isn't named after that control.
  const controls = role === "generic" ? [...element.querySelectorAll(CONTROL)] : [];
  return controls.length ? textOf(element, false, controls) : textOf(element, false);
}

export const CONTROL = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=menuitem],[role=option],[role=tab]";

/** The visible text, with pictures by their names and fields by their values. */
export function textOf(element: Element, withHidden: boolean, except?: Element | Element[], most = 400): string {
  const parts: string[] = [];
  gather(element, withHidden, except instanceof Element ? [except] : (except ?? []), parts, { left: most });
  return tidy(parts.join(""));
}

function gather(node: Node, withHidden: boolean, except: Element[], parts: string[], room: { left: number }): void {
  const inner = node instanceof Element ? (node.shadowRoot ?? (node instanceof HTMLSlotElement ? null : node)) : node;
  const children = inner === null ? (node as HTMLSlotElement).assignedNodes({ flatten: true }) : inner.childNodes;
  for (const child of children) {
    if (room.left <= 0) return;
    if (child.nodeType === Node.TEXT_NODE) {
      const text = child.nodeValue ?? "";
      parts.push(text);
      room.left -= text.length;
      continue;
    }
    if (!(child instanceof Element) || except.includes(child) || isSilent(child, withHidden)) continue;
    const label = tidy(child.getAttribute("aria-label") ?? "") || nativeName(child) || embeddedValue(child);
    if (label) {
      parts.push(` ${label} `);
      room.left -= label.length;
      continue;
    }
    const isBlock = BLOCKS.has(child.tagName);
    if (isBlock) parts.push(" ");
    gather(child, withHidden, except, parts, room);
    if (isBlock) parts.push(" ");
  }
}

const BLOCKS = new Set(["ADDRESS", "BR", "BUTTON", "DD", "DIV", "DT", "H1", "H2", "H3", "H4", "H5", "H6", "LI", "OPTION", "P", "SECTION", "TD", "TH", "TR", "UL"]);
const SILENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"]);

function isSilent(element: Element, withHidden: boolean): boolean {
  if (SILENT.has(element.tagName) || element.getAttribute("aria-hidden") === "true") return true;
  return !withHidden && !element.checkVisibility({ visibilityProperty: true }) && element.tagName !== "BR" && getComputedStyle(element).display !== "contents";
}

const NO_TEXT = new Set(["password", "hidden", "checkbox", "radio", "file"]);

function embeddedValue(element: Element): string {
  if (element instanceof HTMLSelectElement) return tidy([...element.selectedOptions].map((option) => option.label).join(" "));
  if (element instanceof HTMLTextAreaElement) return tidy(element.value);
  return element instanceof HTMLInputElement && !NO_TEXT.has(element.type) ? tidy(element.value) : "";
}
