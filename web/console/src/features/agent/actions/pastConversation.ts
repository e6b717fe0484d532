/** Reads a whole conversation, to look back at its task. */

import { fetchData } from "@handrail/host";
import type { Entry, Run, TaskPage } from "../logic/chat";
import { pathOf } from "./following";

export interface PastConversation {
  run: Run | null;
  entries: readonly Entry[];
}

const MOST_PAGES = 20;

/** Its newest pages; null if the task is not a conversation. */
export async function readConversation(taskId: string): Promise<PastConversation | null> {
  let page: TaskPage | null = await fetchData<TaskPage>(pathOf(taskId)).catch(() => null);
  if (!page?.run) return null;
  const { run } = page;
  let { entries } = page;
  for (let count = 1; count < MOST_PAGES && page?.next !== undefined && page.next !== null; count++) {
    page = await fetchData<TaskPage>(`${pathOf(taskId)}?before=${page.next}`).catch(() => null);
    entries = [...(page?.entries ?? []), ...entries];
  }
  return { run, entries };
}
