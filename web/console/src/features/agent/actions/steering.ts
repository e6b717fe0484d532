/** A person's control of a task: its run, mode, model and limits, its name, its place in the list. */

import { fetchData, HostError, postJson } from "@handrail/host";
import { reloadBrowsers, takeTasks } from "../../browser/actions";
import type { BrowserTask } from "../../browser/logic/browserTasks";
import type { LimitName, Mode, Run } from "../logic/chat";
import { announcement } from "../../../store";
import { pathOf, takeRun } from "./following";
import { chatTexts, conversation, unfolded, wantedMode, wantedModel } from "../store";

const MOST_FOUND = 100;

export async function controlRun(taskId: string, verb: "stop" | "pause" | "resume"): Promise<void> {
  const run = await postJson<Run | { run: Run }>(`${pathOf(taskId)}/${verb}`, {});
  takeRun(taskId, run);
  announcement.value = chatTexts.value.told[verb];
}

export async function change(taskId: string, choice: { mode?: Mode; model?: string }): Promise<void> {
  if (choice.mode) wantedMode.value = choice.mode;
  if (choice.model !== undefined) wantedModel.value = choice.model;
  if (!conversation.value.run) return;
  try {
    takeRun(taskId, await postJson<Run | { run: Run }>(pathOf(taskId), choice));
    if (choice.mode) wantedMode.value = undefined;
    if (choice.model !== undefined) wantedModel.value = undefined;
  } catch (failure) {
    // While the agent is working, the choice is kept and sent with the next message.
    if (!(failure instanceof HostError) || failure.status !== 409) throw failure;
  }
}

/** Null: the limit of the settings. Limits apply at once, also while the agent is working. */
export async function limit(taskId: string, limits: Partial<Record<LimitName, number | null>>): Promise<void> {
  takeRun(taskId, await postJson<Run | { run: Run }>(pathOf(taskId), limits));
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

/** The tasks whose title or messages contain all of these words, however old they are. */
export async function findTasks(words: string): Promise<ReadonlySet<string>> {
  const matches = await fetchData<BrowserTask[]>(`/api/task/list?${new URLSearchParams({ limit: String(MOST_FOUND), query: words })}`);
  takeTasks(matches);
  return new Set(matches.map(({ taskId }) => taskId));
}

export function toggle(executionId: string): void {
  const now = new Set(unfolded.value);
  if (!now.delete(executionId)) now.add(executionId);
  unfolded.value = now;
}
