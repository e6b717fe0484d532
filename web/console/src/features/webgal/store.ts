/** The state of the game page; only actions.ts beside it writes to it. It is kept while other pages are shown. */

import { computed, signal } from "@preact/signals";
import type { Frame, Game, SceneText, FixTarget } from "./logic/game";
import { byPath } from "./logic/problems";

export const TABS = ["scenes", "problems", "graph", "resources"] as const;
export type Tab = (typeof TABS)[number];

/** null: there is no game. */
export const game = signal<Game | null | "unknown">("unknown");
export const failure = signal("");
export const tab = signal<Tab>("scenes");
export const openedPath = signal<string | null>(null);
export const text = signal<SceneText | null>(null);
export const textFailure = signal("");
export const line = signal(1);
/** Increases with every request to show the line, even for the same one. */
export const reveals = signal(0);
export const lastWrite = signal<{ path: string; snapshotId: string } | null>(null);
/** What is about to be fixed, while its diff is shown. */
export const fixTarget = signal<FixTarget | null>(null);
export const isPreviewing = signal(false);
/** The frame in which the engine shows the game; null until it is requested. */
export const frame = signal<Frame | null>(null);
export const previewFailure = signal("");

export const problems = computed(() => {
  const current = game.value;
  return current === null || current === "unknown" ? [] : current.problems;
});
export const problemsByPath = computed(() => byPath(problems.value));
export const stamp = computed(() => (game.value === null || game.value === "unknown" ? null : game.value.stamp));
