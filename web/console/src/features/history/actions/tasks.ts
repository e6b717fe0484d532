/** The recorded tasks of every project. */

import { fetchData } from "@handrail/host";

export interface TaskSummary {
  project: string;
  /** Absent for calls of a connection that named no task. */
  task?: string;
  caller: string;
  first: string;
  last: string;
  calls: number;
  changes: number;
  failed: number;
  denied: number;
  unanswered: number;
  unknown: number;
  running: number;
}

export async function readTasks(project: string, before?: string): Promise<{ tasks: TaskSummary[]; next?: string }> {
  const query = new URLSearchParams({ limit: "200", ...(project ? { project } : {}), ...(before ? { before } : {}) });
  return await fetchData(`/api/history?${query}`);
}
