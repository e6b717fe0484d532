/** The id of the task that the next message without a task starts. Attachments belong to it before it exists. */

import { fetchData } from "@handrail/host";
import { draftOf } from "./drafts";

let pendingId: Promise<string> | null = null;

/** Returns the same id until the task starts; a failed request is repeated. */
export function nextTaskId(): Promise<string> {
  if (pendingId) return pendingId;
  const { begins } = draftOf("");
  const request = begins ? Promise.resolve(begins) : newTask();
  pendingId = request;
  request.catch(() => {
    if (pendingId === request) pendingId = null;
  });
  return request;
}

/** The task starts now: what is typed or attached afterwards belongs to another one. */
export function claimNextTaskId(): Promise<string> {
  const taskId = nextTaskId();
  pendingId = null;
  return taskId;
}

async function newTask(): Promise<string> {
  return (await fetchData<{ taskId: string }>("/api/task/id")).taskId;
}
