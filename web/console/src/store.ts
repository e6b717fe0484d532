/** State that every part of the console needs; each feature also has a store of its own. */

import { computed, signal } from "@preact/signals";
import type { PageName } from "./features";
import { preferences } from "./preferences";
import { dictionaries, type Language, type Texts } from "./texts";

export interface Session {
  version: string;
  project: string;
  lang?: string;
  /** The server's features, if it doesn't have all. */
  features?: string[];
}

export const session = signal<Session | "unknown" | "signedOut">("unknown");
export const connection = signal<"connecting" | "online" | "offline">("connecting");
export const page = signal<PageName>("inbox");
/** The part of the page that the address selects: `#/chat/<taskId>`. */
export const subject = signal("");
/** Announced by screen readers. */
export const announcement = signal("");

export const language = computed<Language>(() => {
  const preferred = preferences.value.language;
  if (preferred !== "auto") return preferred;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
});
/** Until another language is loaded, the current one stays. */
export const texts = computed((): Texts => dictionaries.value[language.value] ?? (Object.values(dictionaries.value)[0] as Texts));
