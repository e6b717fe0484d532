/** The page's text in passages. Words are separated exactly where a person sees them separated. */

import { tidy } from "./names";
import { allRoots, closestAcross, localNameOf, type Root } from "./shadow";

export interface TextBlock { holder: Element; text: string; nodes: Text[] }

const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TITLE"]);
/** Elements that stand in a line like a word of their own. */
const REPLACED = new Set(["BR", "HR", "IMG", "SVG", "VIDEO", "AUDIO", "CANVAS", "IFRAME", "OBJECT", "EMBED", "INPUT", "SELECT", "TEXTAREA", "BUTTON", "METER", "PROGRESS"]);
/** In em: a gap as wide as a narrow space. */
const GAP = 0.2;

/** A phrase may run through bold words, links and buttons; a block of text ends it. */
export function* textBlocks(): Generator<TextBlock> {
  for (const root of allRoots()) {
    yield* new TextBlockReader().through(root);
    for (const field of root.querySelectorAll<HTMLInputElement>("input:not([type=password]):not([type=hidden]),textarea")) {
      if (field.value) yield { holder: field, text: tidy(field.value), nodes: [] };
    }
  }
}

/** One pass through a tree; keeps the elements around the current node. */
class TextBlockReader {
  private readonly open: { element: Element; holder: Element; endsApart: boolean }[] = [];
  private holder: Element | null = null;
  private text = "";
  private nodes: Text[] = [];

  *through(root: Root): Generator<TextBlock> {
    const outer = root instanceof ShadowRoot ? (closestAcross(root.host, (one) => !isInline(getComputedStyle(one))) ?? root.host) : document.documentElement;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => (isUnread(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      while (this.open.length && this.open.at(-1)!.element !== node.parentNode) this.leave();
      const around = this.open.at(-1)?.holder ?? outer;
      if (node instanceof Element) this.enter(node, around);
      else yield* this.read(node as Text, around);
    }
    yield* this.end();
  }

  private enter(element: Element, around: Element): void {
    const style = getComputedStyle(element);
    const isInside = isInline(style);
    const isFlowing = style.position !== "absolute" && style.position !== "fixed";
    const isWord = isFlowing && (!isInside || style.display.startsWith("inline-") || REPLACED.has(localNameOf(element).toUpperCase()));
    if (isWord || isApart(style, "Start")) this.text += " ";
    this.open.push({ element, holder: isInside ? around : element, endsApart: isWord || isApart(style, "End") });
  }

  private leave(): void {
    if (this.open.pop()!.endsApart) this.text += " ";
  }

  private *read(node: Text, holder: Element): Generator<TextBlock> {
    if (holder !== this.holder) {
      if (!node.data.trim()) return;
      yield* this.end();
      this.holder = holder;
    }
    this.text += node.data;
    this.nodes.push(node);
  }

  private *end(): Generator<TextBlock> {
    const { nodes } = this;
    const text = tidy(this.text);
    this.text = "";
    this.nodes = [];
    if (this.holder && text) yield { holder: this.holder, text, nodes };
  }
}

const isUnread = (node: Node): boolean => node instanceof Element && (UNREAD.has(node.tagName) || getComputedStyle(node).display === "none");

const isInline = ({ display }: CSSStyleDeclaration): boolean => display.startsWith("inline") || display.startsWith("ruby") || display === "contents";

/** Margin, padding and border separate words as a space does, for example the labels in a list of tags. */
function isApart(style: CSSStyleDeclaration, side: "Start" | "End"): boolean {
  const parts = [style[`marginInline${side}`], style[`paddingInline${side}`], style[`borderInline${side}Width`]];
  return parts.reduce((sum, one) => sum + (parseFloat(one) || 0), 0) >= GAP * parseFloat(style.fontSize);
}
