/** The commands that ⌘K offers, and the keys that work on every page. */

import { signal } from "@preact/signals";
import { isCovered, isTyping } from "../logic/keys";

export const isCommandsOpen = signal(false);
export const isHelpOpen = signal(false);

export function openCommands(): void {
  isCommandsOpen.value = true;
}

/** ⌘K or Ctrl K, `?` and `/`. Inactive while a dialog is open. */
export function listenForCommands(): void {
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
      if (isCovered() && !isCommandsOpen.value) return;
      event.preventDefault();
      isCommandsOpen.value = !isCommandsOpen.value;
      return;
    }
    if (isCovered() || isTyping(event)) return;
    if (event.key === "?") isHelpOpen.value = true;
    if (event.key === "/") {
      event.preventDefault();
      const search = document.querySelector<HTMLElement>("main input[type=search], main .search");
      if (search) search.focus();
      else openCommands();
    }
  });
}
