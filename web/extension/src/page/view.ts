/** The page as a person reads it: text and elements that can be acted on, in reading order, with their numbers. */

import type { PageRequest, FrameView } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { candidates } from "./candidates";
import { entryOf, hintOf, lineOf } from "./description";
import { ownPlace, placeOf } from "./frames";
import { boxOf, isInView, reachTest } from "./geometry";
import { storeLine, recordIndex } from "./reported";
import { LegibleText } from "./legible_text";
import { tidy } from "./names";
import { hasPlainStyles } from "./plain_styles";
import { nextRef, startFrom } from "./refs";
import { childrenOf, shadowRootOf } from "./shadow";
import { areEmpty, isDrawn, isLegible, overlap, view as viewArea } from "./visibility";
import type { VisibleElement } from "./index_page";
import { surveySoon } from "./text_changes";

/** Delimiters around a number and a frame's position; the worker replaces them with the tab's names. */
const [REF, FRAME, END] = ["\u0001", "\u0003", "\u0002"];
const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE"]);
const LINES = /^(block|flex|grid|table|list-item|flow-root|table-row|table-caption|table-(row|header|footer)-group)$/;
/** In a list this long, each item is checked before its content is walked. */
const LONG = 40;
const LONGEST_NAME = 120;
/** After so many texts below the view, nothing follows that is in it. */
const MANY_BELOW = 50;
/** Roles that go without saying: most elements have one of them. */
const PLAIN_ROLES = new Set(["link", "button", "generic"]);

const WORDLESS = new Set(["password", "hidden", "checkbox", "radio", "file", "range", "color", "image"]);

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
const isField = (element: Element): element is Field => /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

export function viewPage(request: PageRequest<"view">): FrameView {
  startFrom(request.floor);
  const reading = new PageReader(request.scope === "viewport", true);
  const { lines, seen } = reading.whole();
  recordIndex(seen, seen, reading.roots);
  surveySoon();
  const page = document.scrollingElement ?? document.documentElement;
  return {
    lines,
    next: nextRef(),
    place: ownPlace(),
    above: Math.round(scrollY),
    below: Math.max(0, Math.round(page.scrollHeight - innerHeight - scrollY)),
    url: location.href,
    title: document.title,
  };
}

/** All readable text of the page, line by line as a person sees it. */
export function pageText(): string {
  return new PageReader(false, false).whole().lines.join("\n");
}

class PageReader {
  readonly roots;
  private readonly chosen: Set<Element>;
  private readonly text: LegibleText;
  private readonly isInReach: (element: Element) => boolean;
  private readonly area = viewArea();
  private readonly seen: VisibleElement[] = [];
  /** Controls inside their label, reported among the label's words. */
  private readonly amongWords = new Set<Element>();
  private readonly lines: string[] = [];
  private readonly isPlain: boolean;
  /** How many texts in a row are below the view. */
  private below = 0;
  private line = "";
  private isApart = false;

  /** `isNumbered`: with elements that can be acted on; otherwise text only. */
  constructor(private readonly isViewOnly: boolean, private readonly isNumbered: boolean) {
    const from = isNumbered ? candidates() : { elements: [], roots: [] };
    this.roots = from.roots;
    this.chosen = new Set(from.elements);
    this.text = new LegibleText(isViewOnly);
    this.isPlain = !isViewOnly && hasPlainStyles();
    this.isInReach = reachTest(from.roots);
  }

  whole(): { lines: string[]; seen: VisibleElement[] } {
    if (document.body) this.through(document.body, isRowOf(getComputedStyle(document.body)));
    this.breakLine();
    return { lines: this.lines, seen: this.seen };
  }

  private through(parent: Element, isRow: boolean): void {
    const shadow = shadowRootOf(parent);
    const slotted = parent instanceof HTMLSlotElement ? parent.assignedNodes() : [];
    const isLong = this.isViewOnly && (shadow ?? parent).childNodes.length > LONG;
    for (const node of slotted.length ? slotted : childrenOf(shadow ?? parent)) {
      if (node.nodeType === Node.TEXT_NODE) this.read(node as Text);
      else if (node instanceof Element && !(isLong && this.isFarAway(node))) this.enter(node, isRow);
    }
  }

  /** An element far from the viewport, like everything it contains. */
  private isFarAway(element: Element): boolean {
    const box = element.getBoundingClientRect();
    return box.height > 0 && (box.top > this.area.bottom + innerHeight || box.bottom < this.area.top - innerHeight);
  }

  private enter(element: Element, isBeside: boolean): void {
    if (UNREAD.has(element.tagName) || element.hasAttribute(BADGE_ATTRIBUTE)) return;
    const style = getComputedStyle(element);
    const { display } = style;
    if (display === "none") return;
    const isRow = isRowOf(style, display);
    const isLine = !isBeside && (LINES.test(display) || element.tagName === "BR" || element.tagName === "HR");
    if (isLine) this.breakLine();
    else if (display === "table-cell" && this.line) this.line += " |";
    else if (isBeside) this.isApart = true;
    if (/^H[1-3]$/.test(element.tagName)) this.line = "#";
    if (/^I?FRAME$/.test(element.tagName)) this.frame(element as HTMLIFrameElement);
    else if (this.chosen.has(element)) this.act(element, isRow);
    else if (!this.isNumbered && isField(element)) this.value(element);
    else if (!this.isNumbered || !isStandIn(element)) this.through(element, isRow);
    else this.labelled(element, isRow);
    if (isLine) this.breakLine();
    else if (isBeside || display.startsWith("inline-") || display === "table-cell") this.isApart = true;
  }

  private read(text: Text): void {
    const words = text.data.replace(/[\u0001-\u0003]/g, "");
    if (!/\S/.test(words)) {
      this.isApart ||= words !== "";
      return;
    }
    if (!this.isSeen(text)) return;
    this.isApart ||= /^\s/.test(words);
    this.add(tidy(words));
    this.isApart = /\s$/.test(words);
  }

  /** Nothing hides text of a plain page but what covers it, and that can be told only of what is in view. */
  private isSeen(text: Text): boolean {
    if (this.isPlain && this.below >= MANY_BELOW) return true;
    const place = this.text.seenAt(text, this.isViewOnly ? this.area : undefined);
    this.below = place && place.top > this.area.bottom ? this.below + 1 : 0;
    return place !== null;
  }

  private act(element: Element, isRow: boolean): void {
    const box = boxOf(element);
    const isVisible = box.width >= 1 && box.height >= 1 && element.checkVisibility({ visibilityProperty: true }) && this.isInReach(element);
    const part = overlap(box, this.text.sight.clipOf(element));
    if (!isVisible || areEmpty(part) || (this.isViewOnly && !isLegible(part, this.area) && box.height < innerHeight)) return this.through(element, isRow);
    this.seen.push({ element, box, isInView: isInView(box) });
    const entry = entryOf(element);
    storeLine(element, lineOf(entry));
    const hasOthers = element.firstElementChild !== null && this.contains(element);
    const isNamedInside = entry.text !== undefined && !entry.value && (hasOthers || (element.textContent?.length ?? 0) > LONGEST_NAME);
    const role = PLAIN_ROLES.has(entry.role) ? (entry.tag === "canvas" ? "canvas" : "") : entry.role;
    const name = isNamedInside || this.amongWords.has(element) ? "" : [entry.name, entry.hint].filter(Boolean).join(" ") || hintOf(element);
    const value = entry.value ? `= ${/[[\]"\n]/.test(entry.value) ? JSON.stringify(entry.value) : entry.value}` : "";
    const states = (entry.states ?? []).filter((state) => state !== "focused" && state !== "required");
    this.isApart = true;
    this.add(`[${[`${REF}${entry.ref}${END}`, role, name, value, ...states].filter(Boolean).join(" ")}]`);
    this.isApart = true;
    if (isNamedInside || hasOthers) this.through(element, isRow);
  }

  private value(element: Field): void {
    const words = element instanceof HTMLInputElement && WORDLESS.has(element.type) ? "" : element instanceof HTMLSelectElement ? (element.selectedOptions[0]?.label ?? "") : element.value;
    if (!words.trim() || !isDrawn(element)) return;
    this.isApart = true;
    this.add(tidy(words));
    this.isApart = true;
  }

  private contains(element: Element): boolean {
    for (const inner of element.querySelectorAll("*")) if (this.chosen.has(inner)) return true;
    return false;
  }

  /**
   * A label's words are its control's name, so only the control is reported, unless there are other controls among the
   * words.
   */
  private labelled(label: HTMLLabelElement, isRow: boolean): void {
    const inside = [...label.querySelectorAll("*")].filter((inner) => this.chosen.has(inner));
    if (inside.length > 1 && inside.includes(label.control!)) {
      this.amongWords.add(label.control!);
      return this.through(label, isRow);
    }
    for (const inner of inside) this.act(inner, isRowOf(getComputedStyle(inner)));
  }

  private frame(element: HTMLIFrameElement): void {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || !isDrawn(element) || (this.isViewOnly && areEmpty(overlap(box, this.area)))) return;
    this.breakLine();
    this.lines.push(`${FRAME}${placeOf(element)}${END}`);
  }

  private add(words: string): void {
    const isApart = this.line && (this.isApart || this.line.endsWith("|") || this.line === "#") && !(this.line.endsWith("]") && words.startsWith("["));
    this.line += (isApart ? " " : "") + words;
    this.isApart = false;
  }

  private breakLine(): void {
    const line = this.line.replace(/^[#|\s]+$/, "").replace(/(\s*\|)+$/, "").trim();
    if (line) this.lines.push(line);
    this.line = "";
    this.isApart = false;
  }
}

const isRowOf = (style: CSSStyleDeclaration, display = style.display): boolean => display.endsWith("flex") && style.flexDirection.startsWith("row") && style.flexWrap === "nowrap";

/** A label whose control is shown and has the label's words as its name. */
function isStandIn(element: Element): element is HTMLLabelElement {
  if (!(element instanceof HTMLLabelElement) || !element.control) return false;
  const box = element.control.getBoundingClientRect();
  return box.width >= 1 && box.height >= 1 && element.control.checkVisibility({ visibilityProperty: true }) && !element.control.hasAttribute("aria-label") && !element.control.hasAttribute("aria-labelledby");
}
