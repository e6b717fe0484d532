/** The questions, and the panel that shows them. */

import { computed, signal } from "@preact/signals";
import { emptyQueue, pendingCount, type Queue } from "./logic/queue";

export const queue = signal<Queue>(emptyQueue);
export const isPanelOpen = signal(false);
/** Where the next older page starts; undefined once everything is loaded. */
export const olderPrompts = signal<string | undefined>(undefined);

export const waiting = computed(() => pendingCount(queue.value));
export const history = computed(() => queue.value.answered);
