/** Finds text that a person can read on the page, and waits for it. */

import type { PageRequest, TextMatch } from "./api";
import { candidates } from "./candidates";
import { pause } from "./frame_clock";
import { boxOf, isShown, wireBox } from "./geometry";
import { LegibleText } from "./legible_text";
import { shorten, tidy } from "./names";
import { type TextBlock, textBlocks } from "./text_blocks";
import { nextRef, refOf, startFrom } from "./refs";
import { closestAcross, parentAcross } from "./shadow";

const AROUND = 40;

export function hasText(text: string): boolean {
  const needle = tidy(text).toLowerCase();
  const legible = new LegibleText(false);
  for (const passage of textBlocks()) if (passage.text.toLowerCase().includes(needle) && isReadable(passage, needle, legible)) return true;
  return false;
}

export function findText(request: PageRequest<"findText">): { matches: TextMatch[]; total: number; next: number } {
  startFrom(request.floor);
  const needle = tidy(request.text).toLowerCase();
  const matches: TextMatch[] = [];
  const legible = new LegibleText(false);
  let clickable: Set<Element> | undefined;
  let total = 0;
  for (const passage of textBlocks()) {
    const { text } = passage;
    const at = text.toLowerCase().indexOf(needle);
    if (at < 0 || !isReadable(passage, needle, legible)) continue;
    total++;
    clickable ??= new Set(candidates().elements);
    if (matches.length < request.limit) matches.push(matchOf(passage, at, needle, clickable));
  }
  return { matches, total, next: nextRef() };
}

/** Text of the tree counts only if it can be seen. */
function isReadable({ holder, nodes }: TextBlock, needle: string, legible: LegibleText): boolean {
  if (!isShown(holder)) return false;
  const unseen = new Set(nodes.filter((text) => /\S/.test(text.data) && !legible.seenAt(text)));
  if (!unseen.size) return true;
  return tidy(nodes.map((text) => (unseen.has(text) ? " " : text.data)).join("")).toLowerCase().includes(needle);
}

function matchOf({ holder, text, nodes }: TextBlock, at: number, needle: string, chosen: Set<Element>): TextMatch {
  const start = Math.max(0, at - AROUND);
  const excerpt = (start ? "…" : "") + shorten(text.slice(start, at + needle.length + AROUND), 200);
  const match: TextMatch = { text: excerpt, tag: holder.localName, box: wireBox(boxOf(holder)) };
  const node = nodes.find((one) => tidy(one.data).toLowerCase().includes(needle));
  const inner = (node && parentAcross(node)) ?? holder;
  match.ref = refOf(closestAcross(inner, (one) => chosen.has(one)) ?? clickableInside(holder, needle, chosen) ?? inner);
  return match;
}

/** The element with this text; without one, a paragraph with a single link is usually about that link. */
function clickableInside(holder: Element, needle: string, chosen: Set<Element>): Element | undefined {
  const inside = [...holder.querySelectorAll("*")].filter((one) => chosen.has(one));
  const saying = inside.filter((one) => tidy(one.textContent ?? "").toLowerCase().includes(needle));
  return saying.length === 1 ? saying[0] : inside.length === 1 ? inside[0] : undefined;
}

/** Looks again when the page changed, and now and then for changes that leave no trace. */
export async function awaitText(request: PageRequest<"awaitText">): Promise<boolean> {
  return await changing(request.timeoutMs, () => hasText(request.text) !== request.isGone);
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

/** Waits until the document hasn't changed for a while. */
export async function awaitQuiet(request: PageRequest<"awaitQuiet">): Promise<boolean> {
  const until = performance.now() + request.timeoutMs;
  let changedAt = performance.now();
  const observer = new MutationObserver(() => (changedAt = performance.now()));
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  try {
    for (;;) {
      const remainingMs = changedAt + request.idleMs - performance.now();
      if (remainingMs <= 0) return true;
      if (performance.now() >= until) return false;
      await pause(Math.min(remainingMs, Math.max(1, until - performance.now())));
    }
  } finally {
    observer.disconnect();
  }
}
