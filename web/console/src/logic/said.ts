/** What the server says in English, in the person's language where it is known; as it is where not. */

import { texts } from "../store";

/** A server's sentence with `{}` for each part that varies, and the same in another language, with `{}` or `{1}`, `{2}` for them. */
export type Saying = readonly [english: string, told: string];

interface Known {
  pattern: RegExp;
  told: string;
}

const compiled = new WeakMap<readonly Saying[], Known[]>();

export const said = (text: string): string => translated(text, texts.value.sayings);

/** An error's sentence. One that has no translation follows the words for its kind, so that nobody reads English alone. */
export const saidOfFailure = (text: string, kind = ""): string => explained(text, texts.value.sayings, texts.value.failures[kind]);

export function explained(text: string, sayings: readonly Saying[], kind?: string): string {
  const told = translated(text, sayings);
  return told === text && kind ? `${kind} ${text}` : told;
}

/** Sentence by sentence where the whole isn't known. */
export function translated(text: string, sayings: readonly Saying[]): string {
  const whole = known(text, sayings);
  if (whole !== null) return whole;
  const each = text.split(/(?<=\.) /).map((sentence) => known(sentence, sayings));
  return each.length > 1 && each.every((sentence) => sentence !== null) ? each.join("") : text;
}

function known(text: string, sayings: readonly Saying[]): string | null {
  for (const { pattern, told } of knownIn(sayings)) {
    const found = pattern.exec(text);
    if (!found) continue;
    let at = 0;
    return told.replace(/\{(\d?)\}/g, (_, number: string) => found[number ? Number(number) : ++at] ?? "");
  }
  return null;
}

function knownIn(sayings: readonly Saying[]): Known[] {
  const before = compiled.get(sayings);
  if (before) return before;
  const all = sayings.map(([english, told]) => ({ pattern: new RegExp(`^${english.split("{}").map(escaped).join("(.*?)")}$`, "s"), told }));
  compiled.set(sayings, all);
  return all;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
