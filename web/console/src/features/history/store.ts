/** The calls that were made. */

import { computed, signal } from "@preact/signals";
import { undoneIn, type Call } from "./logic/calls";

export const calls = signal<readonly Call[]>([]);
export const areCallsLoaded = signal(false);
/** Where the next older page starts; undefined once all is read. */
export const olderCalls = signal<string | undefined>(undefined);
/** The task whose calls are shown one after the other. */
export const filmed = signal<string | null>(null);

export const undone = computed(() => undoneIn(calls.value));

/** A task's calls, one after the other; null closes it. */
export function showFilm(task: string | null): void {
  filmed.value = task;
}
