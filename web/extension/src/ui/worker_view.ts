/** The worker's state as a signal, and a function to send it requests. */

import { signal } from "@preact/signals";
import type { Done, UiMessage } from "../worker/messages";
import type { View } from "../worker/view";

export const view = signal<View | null>(null);

export async function follow(): Promise<void> {
  chrome.storage.session.onChanged.addListener((changes) => {
    if (changes["view"]) view.value = changes["view"].newValue as View;
  });
  view.value = (await chrome.storage.session.get<{ view?: View }>("view")).view ?? null;
}

export async function ask(message: UiMessage): Promise<Done> {
  return (await chrome.runtime.sendMessage(message)) as Done;
}
