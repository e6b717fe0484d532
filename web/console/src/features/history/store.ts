/** The recorded calls. */

import { computed, signal } from "@preact/signals";
import { undoneIn, type Call } from "./logic/calls";

export const calls = signal<readonly Call[]>([]);
export const areCallsLoaded = signal(false);

export const undone = computed(() => undoneIn(calls.value));
