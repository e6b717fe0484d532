/** What the page of the game asks the server for. */

import { deleteAt, fetchData, postJson } from "@handrail/host";
import { messageOf } from "../../shell/failure";
import type { Frame, Game, Graph, Mend, Resources, SceneText, Wish } from "./logic/game";
import { announcement, language } from "../../store";
import { failure, frame, game, isPreviewing, line, mending, opened, previewFailure, reveals, stamp, tab, text, textFailure, written, type Tab } from "./store";
import { words } from "./words";

let isReading = false;
let isWanted = false;

/** One reading at a time; what was asked for meanwhile is read once more afterwards. */
export async function readGame(): Promise<void> {
  isWanted = true;
  if (isReading) return;
  isReading = true;
  try {
    while (isWanted) {
      isWanted = false;
      const found = await fetchData<Game | null>(`/api/webgal/game?lang=${language.value}`);
      failure.value = "";
      game.value = found;
      if (found) await readText(opened.value ?? found.entry ?? found.scenes[0]?.path ?? null);
    }
  } catch (error) {
    failure.value = messageOf(error);
  } finally {
    isReading = false;
  }
}

/** Cheap: only whether anything is other than what is shown. What can't be asked now is asked again soon. */
export async function lookForChanges(): Promise<void> {
  if (game.value === "unknown") return;
  const now = await fetchData<{ stamp: string | null }>("/api/webgal/stamp").catch(() => undefined);
  if (now !== undefined && now.stamp !== stamp.value) await readGame();
}

async function readText(path: string | null): Promise<void> {
  opened.value = path;
  if (path === null) return;
  try {
    const found = await fetchData<SceneText>(`/api/webgal/scene?path=${encodeURIComponent(path)}`);
    if (opened.value !== path) return;
    textFailure.value = "";
    text.value = found;
  } catch (error) {
    if (opened.value !== path) return;
    text.value = null;
    textFailure.value = messageOf(error);
  }
}

export async function openScene(path: string, at = 1): Promise<void> {
  tab.value = "scenes";
  line.value = at;
  reveals.value++;
  if (opened.value !== path) {
    text.value = null;
    await readText(path);
  }
}

export function goToLine(at: number): void {
  line.value = at;
  reveals.value++;
}

export function showTab(wanted: Tab): void {
  tab.value = wanted;
}

export function showPreview(isShown: boolean): void {
  isPreviewing.value = isShown;
  previewFailure.value = "";
}

let wanted: { path: string; line: number } | null = null;
let isSending = false;

/** The engine goes where the person looks. One wish at a time; of those that came meanwhile, the last counts. */
export async function followLine(path: string, at: number): Promise<void> {
  wanted = { path, line: at };
  if (isSending) return;
  isSending = true;
  while (wanted) {
    const next: { path: string; line: number } = wanted;
    wanted = null;
    try {
      const screen = frame.value?.screen;
      // Nobody has gone anywhere in it yet: then the first line that shows something is of more use than the first.
      const place = next.line === 1 ? { path: next.path } : next;
      const found = await postJson<Frame>("/api/webgal/preview", screen === undefined ? place : { ...place, screen });
      previewFailure.value = "";
      if (found.address !== frame.value?.address) frame.value = found;
    } catch (error) {
      previewFailure.value = messageOf(error);
    }
  }
  isSending = false;
}

/** What nobody looks at leads nowhere. */
export function leavePreview(): void {
  wanted = null;
  const left = frame.value;
  frame.value = null;
  if (left) void deleteAt<unknown>(`/api/webgal/preview/${encodeURIComponent(left.screen)}`).catch(() => undefined);
}

export const readGraph = (): Promise<Graph> => fetchData<Graph>("/api/webgal/graph");
export const readResources = (): Promise<Resources> => fetchData<Resources>("/api/webgal/resources");

export function startMending(wish: Wish | null): void {
  mending.value = wish;
}

const placeOf = ({ path, line: at, code, start }: Wish): Record<string, unknown> => (code === undefined ? { path } : { path, line: at, code, start });

export const showMend = (wish: Wish): Promise<Mend> => postJson<Mend>("/api/webgal/mend", placeOf(wish));

/** Exactly what was shown, or nothing. */
export async function mend(wish: Wish, { baseHash, afterHash }: Mend): Promise<void> {
  const done = await postJson<Mend>("/api/webgal/mend", { ...placeOf(wish), baseHash, afterHash });
  if (done.snapshotId) written.value = { path: done.path, snapshotId: done.snapshotId };
  announcement.value = words.value.written(done.path);
  await readGame();
}

export async function undoMend(): Promise<void> {
  const last = written.value;
  if (!last) return;
  await postJson<unknown>("/api/undo", { id: last.snapshotId });
  written.value = null;
  announcement.value = words.value.undone(last.path);
  await readGame();
}

export function forgetWritten(): void {
  written.value = null;
}
