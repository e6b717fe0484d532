/** The text that could be read on the page when it was last looked at, and how it differs now. */

import { BADGE_ATTRIBUTE } from "./badge";
import { shorten, tidy } from "./names";
import { allRoots, closestAcross, parentAcross, type Root } from "./shadow";
import { isDrawn, Sight } from "./sight";
import { readable } from "./surroundings";

const LONGEST = 200;
/** More places than this have changed meanwhile: it is quicker to look at everything again. */
const MOST_STALE = 300;
const BLOCK = "p,li,dt,dd,td,th,h1,h2,h3,h4,h5,h6,div,section,article,header,footer,main,aside,nav,form,fieldset,legend,label,button,a,pre,blockquote,caption,figcaption,summary,output,option,body";
const UNREAD = "script,style,noscript,template,title,textarea,select,option:is(select option)";
const KEPT = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["class", "style", "hidden", "open", "aria-hidden"] };

export interface TextChanges { added: { text: string; holder: Element }[]; removed: { text: string; holder: Element | null }[] }

let known: Map<Text, string> | null = null;
const stale = new Set<Element>();
let keeper: MutationObserver | null = null;
let isPlanned = false;

declare const scheduler: { postTask(work: () => void, options: { priority: "background" }): Promise<void> };

/** In a moment when nobody waits, so that the next action need not. */
export function surveySoon(): void {
  if (known || isPlanned || document.visibilityState !== "visible") return;
  isPlanned = true;
  void scheduler.postTask(() => {
    isPlanned = false;
    if (!known) survey();
  }, { priority: "background" });
}

/** Right before an action: what is known must be what is there. */
export function survey(): void {
  note(keeper?.takeRecords() ?? []);
  if (known && stale.size <= MOST_STALE) {
    for (const element of stale) if (element.isConnected) for (const text of textsIn([...allRoots(element)])) learn(text);
  } else {
    known = new Map();
    for (const text of textsIn(allRoots())) learn(text);
    keeper?.disconnect();
    keeper = new MutationObserver(note);
    for (const root of allRoots()) keeper.observe(root, KEPT);
  }
  stale.clear();
}

function learn(text: Text): void {
  const now = shownText(text);
  if (now) known!.set(text, now);
  else known!.delete(text);
}

function note(records: MutationRecord[]): void {
  for (const { type, target, addedNodes } of records) {
    if (type !== "childList") stale.add(target instanceof Element ? target : (target.parentElement ?? document.documentElement));
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) stale.add(node as Element);
      else if (node.parentElement) stale.add(node.parentElement);
    if (stale.size <= MOST_STALE) continue;
    // A page that never rests is looked at again when it matters.
    keeper?.disconnect();
    known = null;
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

/** Quickly, without asking what lies over it or cuts it away: both sides of the comparison are as quick. */
function shownText(text: Text): string {
  const holder = text.parentElement ?? (text.parentNode instanceof ShadowRoot ? text.parentNode.host : null);
  if (!holder || !isDrawn(holder)) return "";
  return holder.closest(`${UNREAD},[${BADGE_ATTRIBUTE}]`) ? "" : tidy(text.data);
}

/** Inside what was touched, or everywhere; from now on what is there now is what is known. */
export function textChanges(touched: Iterable<Element> | null): TextChanges {
  if (!known) return { added: [], removed: [] };
  const sight = new Sight(false);
  const gone: { node: Text; text: string }[] = [];
  const come = new Map<Element, Text[]>();
  for (const [node, text] of known) {
    if (node.isConnected) continue;
    gone.push({ node, text });
    known.delete(node);
  }
  const roots = touched ? [...touched].filter((one) => one.isConnected).flatMap((one) => allRoots(one)) : allRoots();
  for (const node of textsIn(roots)) {
    const before = known.get(node) ?? "";
    const now = shownText(node);
    if (before === now) continue;
    learn(node);
    // A clock ticks by itself.
    if (before && now && readable(before) === readable(now)) continue;
    if (before) gone.push({ node, text: before });
    if (now && sight.placeOf(node)) come.set(blockOf(node), [...(come.get(blockOf(node)) ?? []), node]);
  }
  const added = [...come].map(([holder, nodes]) => ({ holder, text: wholeOrParts(holder, nodes, sight) }));
  const replaced = new Set(added.map(({ text }) => text));
  return { added, removed: together(gone).filter(({ text }) => !replaced.has(text)) };
}

function blockOf(text: Text): Element {
  const holder = parentAcross(text) ?? document.body;
  return closestAcross(holder, (one) => one.matches(BLOCK)) ?? holder;
}

/** A short passage is told as a whole, so that "4" is "You have 4 messages". */
function wholeOrParts(holder: Element, changed: Text[], sight: Sight): string {
  const nodes = [...textsIn(allRoots(holder))];
  const whole = tidy(nodes.filter((one) => shownText(one) && sight.placeOf(one)).map((one) => one.data).join(" "));
  return whole.length <= LONGEST ? whole : shorten(tidy(changed.map((one) => one.data).join(" ")), LONGEST);
}

function together(gone: { node: Text; text: string }[]): TextChanges["removed"] {
  const byBlock = new Map<Element | Text, string[]>();
  const holders = new Map<Element | Text, Element | null>();
  for (const { node, text } of gone) {
    const block = node.parentElement?.closest(BLOCK) ?? node.parentElement ?? node;
    byBlock.set(block, [...(byBlock.get(block) ?? []), text]);
    holders.set(block, block instanceof Element ? block : null);
  }
  return [...byBlock].map(([block, texts]) => ({ text: shorten(tidy(texts.join(" ")), LONGEST), holder: holders.get(block) ?? null }));
}
