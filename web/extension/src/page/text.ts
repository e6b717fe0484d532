/** Text that a person can read on the page: found, and waited for. */

import type { Ask, TextMatch } from "./api";
import { INTERACTIVE } from "./candidates";
import { pause } from "./frame_clock";
import { boxOf, isShown, wireBox } from "./geometry";
import { shorten, tidy } from "./names";
import { nextRef, refOf, startFrom } from "./refs";
import { allRoots, closestAcross } from "./shadow";

const AROUND = 40;
const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TITLE"]);

/** Blocks of text with the element that holds them: a phrase may run through bold words and links. */
function* passages(): Generator<{ holder: Element; text: string }> {
  for (const root of allRoots()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let holder: Element | null = null;
    let text = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || UNREAD.has(parent.tagName) || !node.nodeValue?.trim()) continue;
      const block = closestAcross(parent, (one) => !getComputedStyle(one).display.startsWith("inline")) ?? parent;
      if (block !== holder) {
        if (holder) yield { holder, text: tidy(text) };
        holder = block;
        text = "";
      }
      text += node.nodeValue;
    }
    if (holder) yield { holder, text: tidy(text) };
    for (const field of root.querySelectorAll<HTMLInputElement>("input:not([type=password]):not([type=hidden]),textarea")) {
      if (field.value) yield { holder: field, text: tidy(field.value) };
    }
  }
}

export function hasText(wanted: string): boolean {
  const needle = tidy(wanted).toLowerCase();
  for (const { holder, text } of passages()) if (text.toLowerCase().includes(needle) && isShown(holder)) return true;
  return false;
}

export function findText(ask: Ask<"findText">): { matches: TextMatch[]; total: number; next: number } {
  startFrom(ask.floor);
  const needle = tidy(ask.text).toLowerCase();
  const matches: TextMatch[] = [];
  let total = 0;
  for (const { holder, text } of passages()) {
    const at = text.toLowerCase().indexOf(needle);
    if (at < 0 || !isShown(holder)) continue;
    total++;
    if (matches.length < ask.limit) matches.push(matchOf(holder, text, at, needle.length));
  }
  return { matches, total, next: nextRef() };
}

function matchOf(holder: Element, text: string, at: number, length: number): TextMatch {
  const start = Math.max(0, at - AROUND);
  const excerpt = (start ? "…" : "") + shorten(text.slice(start, at + length + AROUND), 200);
  const match: TextMatch = { text: excerpt, tag: holder.localName, box: wireBox(boxOf(holder)) };
  const clickable = closestAcross(holder, (one) => one.matches(INTERACTIVE)) ?? onlyInside(holder);
  if (clickable) match.ref = refOf(clickable);
  return match;
}

/** A paragraph that holds one link is most often about that link. */
function onlyInside(holder: Element): Element | null {
  const inside = holder.querySelectorAll(INTERACTIVE);
  return inside.length === 1 ? inside[0]! : null;
}

/** Looks again only when the page changed, and once in a while for what changes without a trace. */
export async function awaitText(ask: Ask<"awaitText">): Promise<boolean> {
  return await changing(ask.timeoutMs, () => hasText(ask.text) !== ask.isGone);
}

async function changing(timeoutMs: number, isMet: () => boolean): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  let hasChanged = true;
  const observer = new MutationObserver(() => (hasChanged = true));
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  try {
    for (let rounds = 0; ; rounds++) {
      if ((hasChanged || rounds % 10 === 0) && isMet()) return true;
      hasChanged = false;
      if (performance.now() >= until) return false;
      await pause(Math.min(50, Math.max(1, until - performance.now())));
    }
  } finally {
    observer.disconnect();
  }
}

/** No change of the document for so long. */
export async function awaitQuiet(ask: Ask<"awaitQuiet">): Promise<boolean> {
  const until = performance.now() + ask.timeoutMs;
  let changedAt = performance.now();
  const observer = new MutationObserver(() => (changedAt = performance.now()));
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  try {
    for (;;) {
      const left = changedAt + ask.idleMs - performance.now();
      if (left <= 0) return true;
      if (performance.now() >= until) return false;
      await pause(Math.min(left, Math.max(1, until - performance.now())));
    }
  } finally {
    observer.disconnect();
  }
}
