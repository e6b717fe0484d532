/** The page as a person reads it: text and elements that can be acted on, in reading order, with their numbers. */

import type { PageRequest, FrameView } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { candidates } from "./candidates";
import { entryOf, hintOf, lineOf } from "./description";
import { ownPlace, placeOf } from "./frames";
import { boxOf, isInView, reachTest } from "./geometry";
import { storeLine, recordIndex } from "./reported";
import { LegibleText } from "./legible_text";
import { shorten, tidy } from "./names";
import { mayBeCovered } from "./plain_covers";
import { hasShadows, PlainStyles } from "./plain_styles";
import { nextRef, startFrom } from "./refs";
import { closestAcross, elementsIn, firstChildOf, nextSiblingOf, shadowRootOf } from "./shadow";
import { type Shape, shapeOf } from "./shapes";
import { areEmpty, isDrawn, isLegible, overlap, view as viewArea } from "./visibility";
import type { VisibleElement } from "./index_page";
import { styleOf } from "./task_memory";
import { surveySoon } from "./text_changes";

/** Delimiters around a number and a frame's position; the worker replaces them with the tab's names. */
const [REF, FRAME, END] = ["\u0001", "\u0003", "\u0002"];
const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE"]);
/** What scripts put into these is never drawn. */
const CHILDLESS = new Set(["BR", "IMG", "WBR", "COL", "COLGROUP", "AREA"]);
const HEADINGS = new Set(["H1", "H2", "H3"]);
const FRAMES = new Set(["IFRAME", "FRAME"]);
const MARKS = /[\u0001-\u0003]/g;
/** In a list this long, each item is checked before its content is walked. */
const LONG = 40;
const LONGEST_NAME = 120;
const LONGEST_ID = 30;
/** Roles that go without saying: most elements have one of them. */
const PLAIN_ROLES = new Set(["link", "button", "generic"]);

const WORDLESS = new Set(["password", "hidden", "checkbox", "radio", "file", "range", "color", "image"]);

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
const FIELDS = new Set(["INPUT", "TEXTAREA", "SELECT"]);

export function viewPage(request: PageRequest<"view">): FrameView {
  startFrom(request.floor);
  const reading = reader(request.scope === "viewport", true);
  const { lines, seen } = reading;
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
  return reader(false, false).lines.join("\n");
}

/** `isNumbered`: with elements that can be acted on; otherwise text only. */
function reader(isViewOnly: boolean, isNumbered: boolean): PageReader {
  const plain = isViewOnly || (isNumbered && hasShadows()) ? null : PlainStyles.ofPage();
  const reading = new PageReader(isViewOnly, isNumbered, plain);
  reading.read();
  if (!reading.isRefuted) return reading;
  const thorough = new PageReader(isViewOnly, isNumbered, null);
  thorough.read();
  return thorough;
}

class PageReader {
  readonly roots;
  private readonly chosen: Set<Element>;
  private readonly text: LegibleText;
  private readonly isInReach: (element: Element) => boolean;
  private readonly area = viewArea();
  readonly seen: VisibleElement[] = [];
  readonly lines: string[] = [];
  /** A shadow tree was found, whose styles may hide anything: the page isn't plain after all. */
  isRefuted = false;
  /** Controls inside their label, reported among the label's words. */
  private readonly amongWords = new Set<Element>();
  private readonly perhapsCovered: Set<Text>;
  private line = "";
  private isApart = false;

  constructor(private readonly isViewOnly: boolean, private readonly isNumbered: boolean, private readonly plain: PlainStyles | null) {
    const from = isNumbered ? candidates() : { elements: [], roots: [] };
    this.roots = from.roots;
    this.chosen = new Set(from.elements);
    this.text = new LegibleText(isViewOnly);
    this.perhapsCovered = plain ? mayBeCovered() : new Set();
    this.isInReach = reachTest(from.roots);
  }

  read(): void {
    if (document.body) this.through(document.body, shapeOf(getComputedStyle(document.body)));
    this.breakLine();
  }

  private through(parent: Element, shape: Shape): void {
    const shadow = shadowRootOf(parent);
    if (shadow) this.isRefuted = this.plain !== null;
    const isLong = this.isViewOnly && (shadow ?? parent).childNodes.length > LONG;
    const slotted = parent.localName === "slot" && parent instanceof HTMLSlotElement ? parent.assignedNodes() : [];
    for (const node of slotted) this.child(node, shape, isLong);
    if (slotted.length) return;
    for (let node = firstChildOf(shadow ?? parent); node && !this.isRefuted; node = nextSiblingOf(node)) this.child(node, shape, isLong);
  }

  private child(node: Node, around: Shape, isLong: boolean): void {
    if (node.nodeType === Node.TEXT_NODE) this.words(node as Text);
    else if (node instanceof Element && !(isLong && this.isFarAway(node))) this.enter(node, around);
  }

  /** An element far from the viewport, like everything it contains. */
  private isFarAway(element: Element): boolean {
    const box = element.getBoundingClientRect();
    return box.height > 0 && (box.top > this.area.bottom + innerHeight || box.bottom < this.area.top - innerHeight);
  }

  private enter(element: Element, around: Shape): void {
    const tag = element.tagName;
    if (UNREAD.has(tag) || (tag === "DIV" && element.hasAttribute(BADGE_ATTRIBUTE))) return;
    const shape = this.plain?.shapeOf(element, tag, around) ?? shapeOf(styleOf(element));
    if (shape.isGone) return;
    const isBeside = around.isRow;
    const isLine = !isBeside && (shape.isLine || tag === "BR" || tag === "HR");
    if (isLine) this.breakLine();
    else if (shape.isCell && this.line) this.line += " |";
    else if (isBeside) this.isApart = true;
    if (HEADINGS.has(tag)) this.line = "#";
    this.inside(element, tag, shape);
    if (isLine) this.breakLine();
    else if (isBeside || shape.isWord) this.isApart = true;
  }

  private inside(element: Element, tag: string, shape: Shape): void {
    if (FRAMES.has(tag)) this.frame(element as HTMLIFrameElement);
    else if (this.isNumbered && this.chosen.has(element)) this.act(element, shape);
    else if (!this.isNumbered && FIELDS.has(tag)) this.value(element as Field);
    else if (this.isNumbered && tag === "LABEL" && (element as HTMLLabelElement).control) this.labelled(element as HTMLLabelElement, shape);
    else if (!CHILDLESS.has(tag)) this.through(element, shape);
  }

  private words(text: Text): void {
    const { data } = text;
    const words = MARKS.test(data) ? data.replace(MARKS, "") : data;
    if (!/\S/.test(words)) {
      this.isApart ||= words !== "";
      return;
    }
    if (!this.isSeen(text)) return;
    const tidied = /[^\S ]|  /.test(words) ? words.replace(/\s+/g, " ") : words;
    this.isApart ||= tidied.startsWith(" ");
    this.add(tidied.trim());
    this.isApart = tidied.endsWith(" ");
  }

  /** Nothing hides text of a plain page but what covers it. */
  private isSeen(text: Text): boolean {
    if (this.plain && !this.perhapsCovered.has(text)) return true;
    return this.text.seenAt(text, this.isViewOnly ? this.area : undefined) !== null;
  }

  private act(element: Element, shape: Shape): void {
    const box = boxOf(element);
    if (this.isVisible(element, box)) this.report(element, box, shape);
    else this.through(element, shape);
  }

  private isVisible(element: Element, box: DOMRect): boolean {
    if (box.width < 1 || box.height < 1 || !element.checkVisibility({ visibilityProperty: true }) || !this.isInReach(element)) return false;
    const part = overlap(box, this.text.sight.clipOf(element));
    return !areEmpty(part) && (!this.isViewOnly || isLegible(part, this.area) || box.height >= innerHeight);
  }

  private report(element: Element, box: DOMRect, shape: Shape): void {
    this.seen.push({ element, box, isInView: isInView(box) });
    const entry = entryOf(element);
    storeLine(element, lineOf(entry));
    const hasOthers = element instanceof HTMLSlotElement || this.contains(element);
    const isNamedInside = entry.text !== undefined && !entry.value && (hasOthers || (element.textContent?.length ?? 0) > LONGEST_NAME);
    const role = PLAIN_ROLES.has(entry.role) ? (entry.tag === "canvas" ? "canvas" : "") : entry.role;
    const id = isNamedInside && !role && !this.hasWords(element) ? element.getAttribute("id") : null;
    const name = id ? `(#${shorten(id, LONGEST_ID)})` : isNamedInside || this.amongWords.has(element) ? "" : [entry.name, entry.hint].filter(Boolean).join(" ") || hintOf(element);
    const value = entry.value ? `= ${/[[\]"\n]/.test(entry.value) ? JSON.stringify(entry.value) : entry.value}` : "";
    const states = (entry.states ?? []).filter((state) => state !== "focused" && state !== "required");
    this.isApart = true;
    this.add(`[${[`${REF}${entry.ref}${END}`, role, name, value, ...states].filter(Boolean).join(" ")}]`);
    this.isApart = true;
    if (isNamedInside || hasOthers) this.through(element, shape);
  }

  private value(element: Field): void {
    const words = element instanceof HTMLInputElement && WORDLESS.has(element.type) ? "" : element instanceof HTMLSelectElement ? (element.selectedOptions[0]?.label ?? "") : element.value;
    if (!words.trim() || !isDrawn(element)) return;
    this.isApart = true;
    this.add(tidy(words));
    this.isApart = true;
  }

  /** A single one in its own shadow tree is what the element itself is made of. */
  private contains(element: Element): boolean {
    if (element.firstElementChild) for (const inner of element.querySelectorAll("*")) if (this.chosen.has(inner)) return true;
    const shadow = shadowRootOf(element);
    return shadow !== null && [...elementsIn(shadow)].filter((inner) => this.chosen.has(inner)).length > 1;
  }

  /** Besides those of what can be acted on inside it. */
  private hasWords(element: Element): boolean {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode() as Text | null; text; text = walker.nextNode() as Text | null) {
      if (/\S/.test(text.data) && closestAcross(text.parentElement!, (one) => this.chosen.has(one)) === element) return true;
    }
    return false;
  }

  /**
   * A label's words are its control's name, so only the control is reported, unless there are other controls among the
   * words. A box to tick that is hidden behind its own drawing is ticked through its label.
   */
  private labelled(label: HTMLLabelElement, shape: Shape): void {
    const control = label.control!;
    if (!this.isVisible(control, boxOf(control))) {
      const isTicked = control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type) && this.chosen.has(control);
      return isTicked && this.isVisible(label, boxOf(label)) ? this.report(control, boxOf(label), shape) : this.through(label, shape);
    }
    if (control.hasAttribute("aria-label") || control.hasAttribute("aria-labelledby")) return this.through(label, shape);
    const inside = [...label.querySelectorAll("*")].filter((inner) => this.chosen.has(inner));
    if (inside.length > 1 && inside.includes(control)) {
      this.amongWords.add(control);
      return this.through(label, shape);
    }
    for (const inner of inside) this.act(inner, shapeOf(getComputedStyle(inner)));
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
    if (this.line) this.lines.push(...withoutMarks(this.line));
    this.line = "";
    this.isApart = false;
  }
}

/** Cells and headings without words leave no marks. */
function withoutMarks(line: string): string[] {
  const kept = line.startsWith("#") || line.startsWith("|") || line.endsWith("|") ? line.replace(/^[#|\s]+$/, "").replace(/(\s*\|)+$/, "").trim() : line;
  return kept ? [kept] : [];
}
