/** Text that a person can read on the page: found, and waited for. */

import type { Ask, TextMatch } from "./api";
import { candidates } from "./candidates";
import { pause } from "./frame_clock";
import { boxOf, isShown, wireBox } from "./geometry";
import { shorten, tidy } from "./names";
import { type Passage, passages } from "./passages";
import { nextRef, refOf, startFrom } from "./refs";
import { closestAcross, parentAcross } from "./shadow";
import { Sight } from "./sight";

const AROUND = 40;

export function hasText(wanted: string): boolean {
  const needle = tidy(wanted).toLowerCase();
  const sight = new Sight(false);
  for (const passage of passages()) if (passage.text.toLowerCase().includes(needle) && isReadable(passage, needle, sight)) return true;
  return false;
}

export function findText(ask: Ask<"findText">): { matches: TextMatch[]; total: number; next: number } {
  startFrom(ask.floor);
  const needle = tidy(ask.text).toLowerCase();
  const matches: TextMatch[] = [];
  const sight = new Sight(false);
  let chosen: Set<Element> | undefined;
  let total = 0;
  for (const passage of passages()) {
    const { text } = passage;
    const at = text.toLowerCase().indexOf(needle);
    if (at < 0 || !isReadable(passage, needle, sight)) continue;
    total++;
    chosen ??= new Set(candidates().elements);
    if (matches.length < ask.limit) matches.push(matchOf(passage, at, needle, chosen));
  }
  return { matches, total, next: nextRef() };
}

/** Of what the tree says, only what can be seen counts. */
function isReadable({ holder, nodes }: Passage, needle: string, sight: Sight): boolean {
  if (!isShown(holder)) return false;
  const unseen = new Set(nodes.filter((text) => /\S/.test(text.data) && !isSeen(text, sight)));
  if (!unseen.size) return true;
  return tidy(nodes.map((text) => (unseen.has(text) ? " " : text.data)).join("")).toLowerCase().includes(needle);
}

function isSeen(text: Text, sight: Sight): boolean {
  const place = sight.placeOf(text);
  return place !== null && !sight.isCovered(parentAcross(text)!, place);
}

function matchOf({ holder, text, nodes }: Passage, at: number, needle: string, chosen: Set<Element>): TextMatch {
  const start = Math.max(0, at - AROUND);
  const excerpt = (start ? "…" : "") + shorten(text.slice(start, at + needle.length + AROUND), 200);
  const match: TextMatch = { text: excerpt, tag: holder.localName, box: wireBox(boxOf(holder)) };
  const node = nodes.find((one) => tidy(one.data).toLowerCase().includes(needle));
  const inner = (node && parentAcross(node)) ?? holder;
  match.ref = refOf(closestAcross(inner, (one) => chosen.has(one)) ?? clickableInside(holder, needle, chosen) ?? inner);
  return match;
}

/** The one that says the text; without such, a paragraph that holds one link is most often about that link. */
function clickableInside(holder: Element, needle: string, chosen: Set<Element>): Element | undefined {
  const inside = [...holder.querySelectorAll("*")].filter((one) => chosen.has(one));
  const saying = inside.filter((one) => tidy(one.textContent ?? "").toLowerCase().includes(needle));
  return saying.length === 1 ? saying[0] : inside.length === 1 ? inside[0] : undefined;
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
