/** A person's hand on a task: its run, its mode, model and limits, its name, its place on the list. */

import { fetchData, HostError, postJson } from "@handrail/host";
import { reloadBrowsers, takeTasks } from "../../browser/actions";
import type { BrowserTask } from "../../browser/logic/browserTasks";
import type { LimitName, Mode, Run } from "../logic/chat";
import { announcement } from "../../../store";
import { pathOf, takeRun } from "./following";
import { chatTexts, conversation, unfolded, wantedMode, wantedModel } from "../store";

const MOST_FOUND = 100;

export async function steer(taskId: string, verb: "stop" | "pause" | "resume"): Promise<void> {
  const run = await postJson<Run | { run: Run }>(`${pathOf(taskId)}/${verb}`, {});
  takeRun(taskId, run);
  announcement.value = chatTexts.value.told[verb];
}

export async function change(taskId: string, wanted: { mode?: Mode; model?: string }): Promise<void> {
  if (wanted.mode) wantedMode.value = wanted.mode;
  if (wanted.model !== undefined) wantedModel.value = wanted.model;
  if (!conversation.value.run) return;
  try {
    takeRun(taskId, await postJson<Run | { run: Run }>(pathOf(taskId), wanted));
    if (wanted.mode) wantedMode.value = undefined;
    if (wanted.model !== undefined) wantedModel.value = undefined;
  } catch (failure) {
    // While the agent is at work it stays a wish, which goes with the next words.
    if (!(failure instanceof HostError) || failure.status !== 409) throw failure;
  }
}

/** Null: as the settings say. Limits count at once, also while the agent is at work. */
export async function limit(taskId: string, wanted: Partial<Record<LimitName, number | null>>): Promise<void> {
  takeRun(taskId, await postJson<Run | { run: Run }>(pathOf(taskId), wanted));
}

export async function rename(taskId: string, title: string): Promise<void> {
  await postJson<unknown>(pathOf(taskId), { title });
  await reloadBrowsers();
}

export async function archive(taskId: string, archived: boolean): Promise<void> {
  await postJson<unknown>(pathOf(taskId), { archived });
  await reloadBrowsers();
  announcement.value = archived ? chatTexts.value.archivedNow : chatTexts.value.unarchivedNow;
}

/** The tasks in whose title or messages all of these words stand, however old they are. */
export async function findTasks(words: string): Promise<ReadonlySet<string>> {
  const found = await fetchData<BrowserTask[]>(`/api/task/list?${new URLSearchParams({ limit: String(MOST_FOUND), query: words })}`);
  takeTasks(found);
  return new Set(found.map(({ taskId }) => taskId));
}

export function toggle(executionId: string): void {
  const now = new Set(unfolded.value);
  if (!now.delete(executionId)) now.add(executionId);
  unfolded.value = now;
}
