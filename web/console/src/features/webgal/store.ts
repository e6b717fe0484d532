/** What the page of the game knows; only actions.ts beside it writes to it. It stays while other pages are shown. */

import { computed, signal } from "@preact/signals";
import type { Frame, Game, SceneText, Wish } from "./logic/game";
import { byPath } from "./logic/problems";

export const TABS = ["scenes", "problems", "graph", "resources"] as const;
export type Tab = (typeof TABS)[number];

/** null: there is no game. */
export const game = signal<Game | null | "unknown">("unknown");
export const failure = signal("");
export const tab = signal<Tab>("scenes");
export const opened = signal<string | null>(null);
export const text = signal<SceneText | null>(null);
export const textFailure = signal("");
export const line = signal(1);
/** Rises with every wish to see the line, were it the same one again. */
export const reveals = signal(0);
export const written = signal<{ path: string; snapshotId: string } | null>(null);
/** What is about to be fixed, while its diff is shown. */
export const mending = signal<Wish | null>(null);
export const isPreviewing = signal(false);
/** The place where the engine shows the game; null until it is asked for. */
export const frame = signal<Frame | null>(null);
export const previewFailure = signal("");

export const problems = computed(() => {
  const known = game.value;
  return known === null || known === "unknown" ? [] : known.problems;
});
export const problemsByPath = computed(() => byPath(problems.value));
export const stamp = computed(() => (game.value === null || game.value === "unknown" ? null : game.value.stamp));
