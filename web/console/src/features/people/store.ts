/** The questions, and the panel that shows them. */

import { computed, signal } from "@preact/signals";
import { emptyQueue, isSettled, pendingCount, type Queue } from "./logic/queue";

export const queue = signal<Queue>(emptyQueue);
export const isPanelOpen = signal(false);
/** Where the next older page starts; undefined once everything is loaded. */
export const olderPrompts = signal<string | undefined>(undefined);

/** Questions that a conversation on the screen shows. */
export const shownInPlace = signal<ReadonlySet<string>>(new Set());

export const waiting = computed(() => pendingCount(queue.value));
/** Whether a question waits that is not on the screen. */
export const waitsElsewhere = computed(() => queue.value.order.some((id) => !isSettled(queue.value.prompts.get(id)) && !shownInPlace.value.has(id)));
export const history = computed(() => queue.value.answered);
