/** The task that words without one will begin: what is attached to them belongs to it before it has begun. */

import { fetchData } from "@handrail/host";
import { draftOf } from "./drafts";

let coming: Promise<string> | null = null;

/** One id, however often it is asked for; one that could not be had is asked for again. */
export function comingTask(): Promise<string> {
  if (coming) return coming;
  const { begins } = draftOf("");
  const asked = begins ? Promise.resolve(begins) : newTask();
  coming = asked;
  asked.catch(() => {
    if (coming === asked) coming = null;
  });
  return asked;
}

/** It begins now: whatever is typed or attached from now on is for another one. */
export function takeComingTask(): Promise<string> {
  const taken = comingTask();
  coming = null;
  return taken;
}

async function newTask(): Promise<string> {
  return (await fetchData<{ taskId: string }>("/api/task/id")).taskId;
}
