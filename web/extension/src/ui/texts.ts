/** All texts of the pages come from _locales; a missing key is a compile error. */

import type messages from "../../_locales/en/messages.json";

export type TextKey = keyof typeof messages;

export const t = (key: TextKey): string => chrome.i18n.getMessage(key);

/** zh or en, for screen readers and fonts. */
export function setLanguage(): void {
  document.documentElement.lang = chrome.i18n.getUILanguage().startsWith("zh") ? "zh-CN" : "en";
}
