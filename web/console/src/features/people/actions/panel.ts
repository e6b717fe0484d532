/** Opens and closes the panel of questions. */

import { effect } from "@preact/signals";
import { page } from "../../../store";
import { isSettled, moveOn, show, step } from "../logic/queue";
import { isPanelOpen, queue, shownInPlace } from "../store";

/** Beside the inbox the panel shows its questions; it doesn't follow to the next page. */
let shownPage = page.value;
effect(() => {
  if (shownPage === "inbox" && page.value !== "inbox") closePanel();
  shownPage = page.value;
});

export function openPanel(): void {
  isPanelOpen.value = true;
}

export function closePanel(): void {
  isPanelOpen.value = false;
}

/** The question stays pending. In the inbox, the next one is shown if there is one. */
export function later(): void {
  const { order, shown, prompts: asked } = queue.value;
  const others = order.filter((id) => id !== shown && !isSettled(asked.get(id)));
  const next = others.find((id) => order.indexOf(id) > order.indexOf(shown ?? "")) ?? others[0];
  if (page.value === "inbox" && next) queue.value = show(queue.value, next);
  else closePanel();
}

export function showPrompt(requestId: string): void {
  queue.value = show(queue.value, requestId);
  openPanel();
}

/** Until the returned function is called. */
export function showInPlace(requestId: string): () => void {
  shownInPlace.value = new Set([...shownInPlace.value, requestId]);
  return () => { shownInPlace.value = new Set([...shownInPlace.value].filter((id) => id !== requestId)); };
}

export function stepPrompt(by: 1 | -1): void {
  queue.value = step(queue.value, by);
}

export function leaveSettled(): void {
  queue.value = moveOn(queue.value);
  if (queue.value.shown === null) closePanel();
}
