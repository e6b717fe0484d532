/** Translates the server's English sentences if a translation is known; otherwise returns them unchanged. */

import { texts } from "../store";

/** A server's sentence with `{}` for each variable part, and its translation with `{}` or `{1}`, `{2}` for them. */
export type Saying = readonly [english: string, told: string];

interface CompiledSaying {
  pattern: RegExp;
  told: string;
}

const compiled = new WeakMap<readonly Saying[], CompiledSaying[]>();

export const translateServerText = (text: string): string => translated(text, texts.value.sayings);

/**
 * An error's sentence. An untranslated one is prefixed with the words for its kind, so that people don't get only
 * English.
 */
export const translateFailure = (text: string, kind = ""): string => explained(text, texts.value.sayings, texts.value.failures[kind]);

export function explained(text: string, sayings: readonly Saying[], kind?: string): string {
  const translation = translated(text, sayings);
  return translation === text && kind ? `${kind} ${text}` : translation;
}

/** Sentence by sentence if there is no translation of the whole. */
export function translated(text: string, sayings: readonly Saying[]): string {
  const whole = translateWhole(text, sayings);
  if (whole !== null) return whole;
  const each = text.split(/(?<=\.) /).map((sentence) => translateWhole(sentence, sayings));
  return each.length > 1 && each.every((sentence) => sentence !== null) ? each.join("") : text;
}

function translateWhole(text: string, sayings: readonly Saying[]): string | null {
  for (const { pattern, told } of compiledSayings(sayings)) {
    const match = pattern.exec(text);
    if (!match) continue;
    let at = 0;
    return told.replace(/\{(\d?)\}/g, (_, number: string) => match[number ? Number(number) : ++at] ?? "");
  }
  return null;
}

function compiledSayings(sayings: readonly Saying[]): CompiledSaying[] {
  const before = compiled.get(sayings);
  if (before) return before;
  const all = sayings.map(([english, told]) => ({ pattern: new RegExp(`^${english.split("{}").map(escaped).join("(.*?)")}$`, "s"), told }));
  compiled.set(sayings, all);
  return all;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
