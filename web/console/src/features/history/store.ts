/** The recorded calls. */

import { computed, signal } from "@preact/signals";
import { undoneIn, type Call } from "./logic/calls";

export const calls = signal<readonly Call[]>([]);
export const areCallsLoaded = signal(false);
/** Where the next older page starts; undefined once everything is loaded. */
export const olderCalls = signal<string | undefined>(undefined);

export const undone = computed(() => undoneIn(calls.value));
