/** All texts of the console, the shell's own and those of features, one language at a time. */

import { signal } from "@preact/signals";
import type { FeatureTexts } from "../features";
import type { ShellTexts } from "./shape";

export type Language = "en" | "zh";
export type Texts = ShellTexts & FeatureTexts;

/** Those that were fetched. */
export const dictionaries = signal<Partial<Record<Language, Texts>>>({});

const FETCHED: Record<Language, () => Promise<{ words: Texts }>> = { en: () => import("../features.en"), zh: () => import("../features.zh") };

export async function loadTexts(language: Language): Promise<void> {
  if (dictionaries.value[language]) return;
  const { words } = await FETCHED[language]();
  dictionaries.value = { ...dictionaries.value, [language]: words };
}
