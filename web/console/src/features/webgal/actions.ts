/** The game page's requests to the server. */

import { deleteAt, fetchData, postJson } from "@handrail/host";
import { messageOf } from "../../shell/failure";
import type { Frame, Game, Graph, Fix, Resources, SceneText, FixTarget } from "./logic/game";
import { announcement, language } from "../../store";
import { failure, frame, game, isPreviewing, line, fixTarget, openedPath, previewFailure, reveals, stamp, tab, text, textFailure, lastWrite, type Tab } from "./store";
import { words } from "./words";

let isReading = false;
let isWanted = false;

/** One read at a time; requests in the meantime cause one more read afterwards. */
export async function readGame(): Promise<void> {
  isWanted = true;
  if (isReading) return;
  isReading = true;
  try {
    while (isWanted) {
      isWanted = false;
      const result = await fetchData<Game | null>(`/api/webgal/game?lang=${language.value}`);
      failure.value = "";
      game.value = result;
      if (result) await readText(openedPath.value ?? result.entry ?? result.scenes[0]?.path ?? null);
    }
  } catch (error) {
    failure.value = messageOf(error);
  } finally {
    isReading = false;
  }
}

/** A cheap check whether anything differs from what is shown. If it fails, it is repeated soon. */
export async function lookForChanges(): Promise<void> {
  if (game.value === "unknown") return;
  const now = await fetchData<{ stamp: string | null }>("/api/webgal/stamp").catch(() => undefined);
  if (now !== undefined && now.stamp !== stamp.value) await readGame();
}

async function readText(path: string | null): Promise<void> {
  openedPath.value = path;
  if (path === null) return;
  try {
    const result = await fetchData<SceneText>(`/api/webgal/scene?path=${encodeURIComponent(path)}`);
    if (openedPath.value !== path) return;
    textFailure.value = "";
    text.value = result;
  } catch (error) {
    if (openedPath.value !== path) return;
    text.value = null;
    textFailure.value = messageOf(error);
  }
}

export async function openScene(path: string, at = 1): Promise<void> {
  tab.value = "scenes";
  line.value = at;
  reveals.value++;
  if (openedPath.value !== path) {
    text.value = null;
    await readText(path);
  }
}

export function goToLine(at: number): void {
  line.value = at;
  reveals.value++;
}

export function showTab(target: Tab): void {
  tab.value = target;
}

export function showPreview(isShown: boolean): void {
  isPreviewing.value = isShown;
  previewFailure.value = "";
}

let requested: { path: string; line: number } | null = null;
let isSending = false;

/**
 * Shows the person's current line in the engine. One request at a time; of those made in the meantime, the last
 * counts.
 */
export async function followLine(path: string, at: number): Promise<void> {
  requested = { path, line: at };
  if (isSending) return;
  isSending = true;
  while (requested) {
    const next: { path: string; line: number } = requested;
    requested = null;
    try {
      const screen = frame.value?.screen;
      // Nobody has navigated in it yet, so the first line that shows something is more useful than line 1.
      const place = next.line === 1 ? { path: next.path } : next;
      const result = await postJson<Frame>("/api/webgal/preview", screen === undefined ? place : { ...place, screen });
      previewFailure.value = "";
      if (result.address !== frame.value?.address) frame.value = result;
    } catch (error) {
      previewFailure.value = messageOf(error);
    }
  }
  isSending = false;
}

/** A closed preview no longer follows. */
export function leavePreview(): void {
  requested = null;
  const closed = frame.value;
  frame.value = null;
  if (closed) void deleteAt<unknown>(`/api/webgal/preview/${encodeURIComponent(closed.screen)}`).catch(() => undefined);
}

export const readGraph = (): Promise<Graph> => fetchData<Graph>("/api/webgal/graph");
export const readResources = (): Promise<Resources> => fetchData<Resources>("/api/webgal/resources");

export function startFix(wish: FixTarget | null): void {
  fixTarget.value = wish;
}

const placeOf = ({ path, line: at, code, start }: FixTarget): Record<string, unknown> => (code === undefined ? { path } : { path, line: at, code, start });

export const previewFix = (wish: FixTarget): Promise<Fix> => postJson<Fix>("/api/webgal/mend", placeOf(wish));

/** Writes exactly what was shown, or nothing. */
export async function applyFix(wish: FixTarget, { baseHash, afterHash }: Fix): Promise<void> {
  const result = await postJson<Fix>("/api/webgal/mend", { ...placeOf(wish), baseHash, afterHash });
  if (result.snapshotId) lastWrite.value = { path: result.path, snapshotId: result.snapshotId };
  announcement.value = words.value.written(result.path);
  await readGame();
}

export async function undoFix(): Promise<void> {
  const last = lastWrite.value;
  if (!last) return;
  await postJson<unknown>("/api/undo", { id: last.snapshotId });
  lastWrite.value = null;
  announcement.value = words.value.undone(last.path);
  await readGame();
}

export function forgetLastWrite(): void {
  lastWrite.value = null;
}
