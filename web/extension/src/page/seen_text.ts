/**
 * The text and pictures that a person sees in an element, to which an action is bound. What the page declares for screen
 * readers (`aria-label`, `aria-hidden`, titles of drawings) doesn't count, and neither does text without ink.
 */

import { isInShadow, mayAddWords } from "./added_words";
import { countersOf, generatedText } from "./generated_text";
import { LegibleText } from "./legible_text";
import { looksOf } from "./looks";
import { tidy } from "./names";
import { childrenOf, localNameOf, shadowRootOf } from "./shadow";
import { styleOf } from "./task_memory";

const SILENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TITLE", "DESC", "METADATA"]);
const BLOCKS = new Set(["ADDRESS", "BR", "BUTTON", "DD", "DIV", "DT", "H1", "H2", "H3", "H4", "H5", "H6", "LI", "OPTION", "P", "SECTION", "TD", "TH", "TR", "UL"]);
const WORDLESS = new Set(["password", "hidden", "checkbox", "radio", "file", "range", "color"]);
const FAINT = 0.05;

/** Reads several overlapping parts of a page in one examination. */
export class SeenText {
  private readonly legible = new LegibleText(false);
  private readonly readableTexts = new Map<Text, boolean>();
  private readonly mayAddWords = mayAddWords();
  /** What is seen besides text: pictures, and looks that give a text another meaning. */
  readonly looks = new Set<string>();

  /** At most about `most` characters; pictures are named by their alternative text. */
  of(element: Element, most: number): string {
    const parts: string[] = [];
    this.gather(element, parts, { left: most }, this.mayAddWords || isInShadow(element));
    return tidy(parts.join(""));
  }

  ofNode(node: Node, most: number): string {
    if (node instanceof Text) return this.isReadable(node) ? tidy(node.data) : "";
    return node instanceof Element && isRendered(node) ? tidy(this.ownText(node) ?? this.of(node, most)) : "";
  }

  /** `isStyled`: style sheets may add words to what it contains. */
  private gather(element: Element, parts: string[], room: { left: number }, isStyled: boolean): void {
    const add = (text: string): void => {
      parts.push(text);
      room.left -= text.length;
    };
    const shadow = shadowRootOf(element);
    const isStyledInside = isStyled || shadow !== null;
    const hasOwn = isStyledInside || element.localName === "q";
    if (hasOwn) add(this.generated(element, "::before"));
    const slotted = element instanceof HTMLSlotElement ? element.assignedNodes({ flatten: true }) : [];
    for (const child of slotted.length ? slotted : childrenOf(shadow ?? element)) {
      if (room.left <= 0) return;
      if (child instanceof Text) add(this.isReadable(child) ? child.data : " ");
      else if (child instanceof Element && isRendered(child)) {
        for (const look of looksOf(child)) this.looks.add(look);
        const own = this.ownText(child);
        const space = own !== null || BLOCKS.has(child.tagName) ? " " : "";
        parts.push(space);
        if (own === null) this.gather(child, parts, room, isStyledInside);
        else add(own);
        parts.push(space);
      }
    }
    if (hasOwn) add(this.generated(element, "::after"));
  }

  /** The text of a field or picture; null for everything that has its text in its content. */
  private ownText(element: Element): string | null {
    if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map((option) => option.label).join(" ");
    if (element instanceof HTMLTextAreaElement) return element.value || element.placeholder;
    if (element instanceof HTMLInputElement) return WORDLESS.has(element.type) ? "" : element.value || element.placeholder;
    if (!(element instanceof HTMLImageElement)) return null;
    if (element.currentSrc) this.looks.add(`${element.currentSrc} ${styleOf(element).objectPosition}`);
    return element.alt;
  }

  private isReadable(text: Text): boolean {
    if (!/\S/.test(text.data)) return false;
    let is = this.readableTexts.get(text);
    if (is === undefined) this.readableTexts.set(text, (is = this.legible.placeOf(text) !== null));
    return is;
  }

  /** Words that a style sheet adds; its icons change under the mouse and say nothing. */
  private generated(element: Element, which: "::before" | "::after"): string {
    const style = getComputedStyle(element, which);
    const { content } = style;
    if (content === "none" || content === "normal" || !/[\p{L}\p{N}]/u.test(content)) return "";
    if (style.display === "none" || style.visibility !== "visible" || Number(style.opacity) < FAINT || Number.parseFloat(style.fontSize) < 2) return "";
    for (const counters of countersOf(content)) this.looks.add(counters);
    if (!content.includes("url(")) return ` ${generatedText(style)} `;
    this.looks.add(content);
    return "";
  }
}

function isRendered(element: Element): boolean {
  return !SILENT.has(localNameOf(element).toUpperCase()) && (element.checkVisibility() || element.tagName === "BR" || getComputedStyle(element).display === "contents");
}
