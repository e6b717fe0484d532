/** Everything the console says, in both languages: the shell's own words, and those that features bring. */

import type { FeatureTexts } from "../features";
import { shellEn } from "./en";
import type { ShellTexts } from "./shape";
import { shellZh } from "./zh";

export type Language = "en" | "zh";
export type Texts = ShellTexts & FeatureTexts;
let all: Record<Language, Texts> | undefined;

export function addTexts(features: readonly Record<Language, object>[]): void {
  all = { en: joined(shellEn, features.map(({ en }) => en)), zh: joined(shellZh, features.map(({ zh }) => zh)) };
}

export function dictionaries(): Record<Language, Texts> {
  if (!all) throw new Error("The features have not been added yet.");
  return all;
}

/** The titles of a feature's pages are under `pages`. */
function joined(shell: ShellTexts, words: readonly { pages?: object }[]): Texts {
  const pages = Object.assign({}, ...words.map((one) => one.pages)) as Texts["pages"];
  return Object.assign({}, shell, ...words, { pages }) as Texts;
}
