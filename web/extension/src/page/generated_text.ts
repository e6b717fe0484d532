/** Words that a style sheet adds before or after an element, as they are drawn. */

import { elementsIn } from "./shadow";
import { styleOf } from "./task_memory";

const PIECE = /"((?:[^"\\]|\\.)*)"|(open|close)-quote|counters?\([^)]*\)/g;
const COUNTER = /counters?\(\s*([^\s,)]+)/g;
/** A counter stands for a number that no script can read. */
const NUMBER = "#";
const MOST_ELEMENTS = 3000;

export function generatedText({ content, quotes }: CSSStyleDeclaration): string {
  if (!/-quote|counters?\(/.test(content)) return content.replace(/^"|"$/g, "");
  const [opening = "“", closing = "”"] = [...quotes.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one!);
  return [...content.matchAll(PIECE)].map(([piece, words, quote]) => words ?? (quote ? (quote === "open" ? opening : closing) : piece.startsWith("counter") ? NUMBER : "")).join("");
}

/** What the numbers in it are counted from: everything on the page that sets or raises these counters. */
export function countersOf(content: string): string[] {
  return [...content.matchAll(COUNTER)].map(([, name]) => `${name}: ${countedBy(name!)}`);
}

function countedBy(name: string): string {
  const parts: string[] = [];
  let left = MOST_ELEMENTS;
  for (const element of elementsIn(document)) {
    if (left-- <= 0) break;
    for (const style of [styleOf(element), getComputedStyle(element, "::before"), getComputedStyle(element, "::after")]) {
      for (const value of [style.counterReset, style.counterSet, style.counterIncrement]) if (value.split(" ").includes(name)) parts.push(value);
    }
  }
  return parts.join();
}
