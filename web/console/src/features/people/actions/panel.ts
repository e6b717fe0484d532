/** The panel of questions: what is open over the page. */

import { moveOn, show, step } from "../logic/queue";
import { isPanelOpen, queue } from "../store";

export function openPanel(): void {
  isPanelOpen.value = true;
}

export function closePanel(): void {
  isPanelOpen.value = false;
}

export function showPrompt(requestId: string): void {
  queue.value = show(queue.value, requestId);
  openPanel();
}

export function stepPrompt(by: 1 | -1): void {
  queue.value = step(queue.value, by);
}

export function leaveSettled(): void {
  queue.value = moveOn(queue.value);
  if (queue.value.shown === null) closePanel();
}
