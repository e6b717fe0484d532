/** What every part of the console needs to know; each feature has a store of its own beside this one. */

import { computed, signal } from "@preact/signals";
import type { PageName } from "./features";
import { preferences } from "./preferences";
import { dictionaries, type Language, type Texts } from "./texts";

export interface Session {
  version: string;
  project: string;
  lang?: string;
  /** Those that the server has, where that isn't all. */
  features?: string[];
}

export const session = signal<Session | "unknown" | "signedOut">("unknown");
export const connection = signal<"connecting" | "online" | "offline">("connecting");
export const page = signal<PageName>("inbox");
/** What of the page is shown, as the address says: `#/chat/<taskId>`. */
export const subject = signal("");
/** Read out by screen readers. */
export const announcement = signal("");

export const language = computed<Language>(() => {
  const chosen = preferences.value.language;
  if (chosen !== "auto") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
});
/** Until those of another language have arrived, the ones before stay. */
export const texts = computed((): Texts => dictionaries.value[language.value] ?? (Object.values(dictionaries.value)[0] as Texts));
