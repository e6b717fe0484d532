/** The text that was readable when the page was last examined, and how it differs now. */

import { BADGE_ATTRIBUTE } from "./badge";
import { shorten, tidy } from "./names";
import { LegibleText } from "./legible_text";
import { hasShadows, PlainStyles } from "./plain_styles";
import { allRoots, closestAcross, parentAcross, type Root } from "./shadow";
import { readable } from "./surroundings";
import { isDrawn } from "./visibility";

const LONGEST = 200;
/** If more places have changed, it is faster to examine everything again. */
const MOST_STALE = 300;
const BLOCK = "p,li,dt,dd,td,th,h1,h2,h3,h4,h5,h6,div,section,article,header,footer,main,aside,nav,form,fieldset,legend,label,button,a,pre,blockquote,caption,figcaption,summary,output,option,body";
const UNREAD = "script,style,noscript,template,title,textarea,select,option:is(select option)";
const OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["class", "style", "hidden", "open", "aria-hidden"] };

export interface TextChanges { added: { text: string; holder: Element }[]; removed: { text: string; holder: Element | null }[] }

let storedTexts: Map<Text, string> | null = null;
const stale = new Set<Element>();
let textObserver: MutationObserver | null = null;
let isPlanned = false;
/** Whether stored texts may have left the page since. */
let hasLosses = false;

declare const scheduler: { postTask(work: () => void, options: { priority: "background" }): Promise<void> };

/** In an idle moment, so that the next action doesn't have to wait. */
export function surveySoon(): void {
  if (storedTexts || isPlanned || document.visibilityState !== "visible") return;
  isPlanned = true;
  void scheduler.postTask(() => {
    isPlanned = false;
    if (!storedTexts) survey();
  }, { priority: "background" });
}

/** Right before an action: the stored text must match the page. */
export function survey(): void {
  note(textObserver?.takeRecords() ?? []);
  if (storedTexts && stale.size <= MOST_STALE) {
    const read = new Reader(false);
    for (const element of stale) if (element.isConnected) for (const text of textsIn([...allRoots(element)])) storeText(text, read.shown(text));
    // What left before isn't the action's doing.
    if (hasLosses) for (const text of storedTexts.keys()) if (!text.isConnected) storedTexts.delete(text);
  } else {
    storedTexts = new Map();
    const read = new Reader(true);
    for (const text of textsIn(allRoots())) storeText(text, read.shown(text));
    textObserver?.disconnect();
    textObserver = new MutationObserver(note);
    for (const root of allRoots()) textObserver.observe(root, OBSERVED);
  }
  stale.clear();
  hasLosses = false;
}

function storeText(text: Text, now: string): void {
  if (now) storedTexts!.set(text, now);
  else storedTexts!.delete(text);
}

function note(records: MutationRecord[]): void {
  for (const { type, target, addedNodes, removedNodes } of records) {
    hasLosses ||= removedNodes.length > 0;
    if (type !== "childList") stale.add(target instanceof Element ? target : (target.parentElement ?? document.documentElement));
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) stale.add(node as Element);
      else if (node.parentElement) stale.add(node.parentElement);
    if (stale.size <= MOST_STALE) continue;
    // A page that never rests is examined again when it matters.
    textObserver?.disconnect();
    storedTexts = null;
    stale.clear();
    return;
  }
}

function* textsIn(roots: Root[]): Generator<Text> {
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode() as Text | null; text; text = walker.nextNode() as Text | null) if (/\S/.test(text.data)) yield text;
  }
}

/** One examination: what a person can read of each text. Text that something covers counts, because it may be uncovered. */
class Reader {
  private readonly legible = new LegibleText(false);
  private readonly isPlain: boolean;

  constructor(isWhole: boolean) {
    this.isPlain = isWhole && !hasShadows() && PlainStyles.ofPage() !== null;
  }

  shown(text: Text): string {
    const holder = parentAcross(text);
    if (!holder || !isDrawn(holder) || holder.closest(`${UNREAD},[${BADGE_ATTRIBUTE}]`)) return "";
    return this.isPlain || this.legible.placeOf(text) ? tidy(text.data) : "";
  }

  isSeen(text: Text): boolean {
    return this.legible.seenAt(text) !== null;
  }
}

/** Compares inside the changed elements, or everywhere; the current text becomes the stored one. */
export function textChanges(touched: Iterable<Element> | null): TextChanges {
  if (!storedTexts) return { added: [], removed: [] };
  const read = new Reader(touched === null);
  const removedTexts: { node: Text; text: string }[] = [];
  const addedNodes = new Map<Element, Text[]>();
  for (const [node, text] of storedTexts) {
    if (node.isConnected) continue;
    removedTexts.push({ node, text });
    storedTexts.delete(node);
  }
  const roots = touched ? [...touched].filter((one) => one.isConnected).flatMap((one) => allRoots(one)) : allRoots();
  for (const node of textsIn(roots)) {
    const before = storedTexts.get(node) ?? "";
    const now = read.shown(node);
    if (before === now) continue;
    storeText(node, now);
    // A clock ticks by itself.
    if (before && now && readable(before) === readable(now)) continue;
    if (before) removedTexts.push({ node, text: before });
    if (now && read.isSeen(node)) addedNodes.set(blockOf(node), [...(addedNodes.get(blockOf(node)) ?? []), node]);
  }
  const added = [...addedNodes].map(([holder, nodes]) => ({ holder, text: wholeOrParts(holder, nodes, read) }));
  const replaced = new Set(added.map(({ text }) => text));
  return { added, removed: groupByBlock(removedTexts).filter(({ text }) => !replaced.has(text)) };
}

function blockOf(text: Text): Element {
  const holder = parentAcross(text) ?? document.body;
  return closestAcross(holder, (one) => one.matches(BLOCK)) ?? holder;
}

/** A short passage is reported whole, so that "4" becomes "You have 4 messages". */
function wholeOrParts(holder: Element, changed: Text[], read: Reader): string {
  const nodes = [...textsIn(allRoots(holder))];
  const whole = tidy(nodes.filter((one) => read.shown(one) && read.isSeen(one)).map((one) => one.data).join(" "));
  return whole.length <= LONGEST ? whole : shorten(tidy(changed.map((one) => one.data).join(" ")), LONGEST);
}

function groupByBlock(removedTexts: { node: Text; text: string }[]): TextChanges["removed"] {
  const byBlock = new Map<Element | Text, string[]>();
  const holders = new Map<Element | Text, Element | null>();
  for (const { node, text } of removedTexts) {
    const block = node.parentElement?.closest(BLOCK) ?? node.parentElement ?? node;
    byBlock.set(block, [...(byBlock.get(block) ?? []), text]);
    holders.set(block, block instanceof Element ? block : null);
  }
  return [...byBlock].map(([block, texts]) => ({ text: shorten(tidy(texts.join(" ")), LONGEST), holder: holders.get(block) ?? null }));
}
