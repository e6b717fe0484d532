/** What agents have done: reads it and its evidence, and undoes it. */

import { fetchData, fetchFile, postJson, type PromptEntry } from "@handrail/host";
import { foldRecords, type AuditRecord, type Call } from "../logic/calls";
import { announcement, texts } from "../../../store";
import { areCallsLoaded, calls } from "../store";
import { PAGE, token } from "../../../ui/paging";

interface ActivityPage {
  records: AuditRecord[];
  next?: string | number | null;
}

export async function reloadCalls(): Promise<void> {
  const part = await fetchData<ActivityPage>(`/api/activity?limit=${PAGE}`);
  calls.value = foldRecords(calls.value, part.records);
  areCallsLoaded.value = true;
}

export type CallsOf = { task: string } | { caller: string };

/** The newest calls of a task or a connection, or those before a place in the record. */
export async function readCallsPage(of: CallsOf, before?: string): Promise<{ records: AuditRecord[]; next?: string }> {
  const query = new URLSearchParams({ limit: "500", ...of, ...(before === undefined ? {} : { before }) });
  const { records, next } = await fetchData<ActivityPage>(`/api/activity?${query}`);
  const following = token(next);
  return { records, ...(following === undefined ? {} : { next: following }) };
}

/** The calls of one task, or one call, of any age; the caller stores them. */
export async function readCalls(of: { task: string } | { execution: string }): Promise<readonly Call[]> {
  let calls: readonly Call[] = [];
  let before: string | undefined;
  do {
    const query = new URLSearchParams({ limit: "500", ...of, ...(before === undefined ? {} : { before }) });
    const part = await fetchData<ActivityPage>(`/api/activity?${query}`);
    calls = foldRecords(calls, part.records);
    before = token(part.next);
  } while (before !== undefined);
  return calls;
}

/** What a call asked the person, in the agent's words; undefined if it asked nothing yet. */
export async function readQuestion(executionId: string): Promise<string | undefined> {
  const query = new URLSearchParams({ requestId: `ask_${executionId}` });
  const { entries } = await fetchData<{ entries: PromptEntry[] }>(`/api/prompts?${query}`);
  const prompt = entries.find((entry) => entry.action === "request")?.prompt;
  return prompt?.source === "handrail/ask_followup_question" ? prompt.message : prompt?.title || prompt?.message;
}

export async function undo(executionId: string): Promise<void> {
  await postJson<unknown>("/api/undo", { id: executionId });
  await reloadCalls();
  announcement.value = texts.value.undone;
}

/** Undoes everything that a task changed, newest first; later changes stay. */
export async function undoTask(task: string, project: string): Promise<void> {
  await postJson<unknown>("/api/undo", { task, ...(project ? { project } : {}) });
  await reloadCalls();
  announcement.value = texts.value.undone;
}

/** Undoes every change to one file. */
export async function undoFile(path: string, project: string): Promise<void> {
  await postJson<unknown>("/api/undo", { path, ...(project ? { project } : {}) });
  await reloadCalls();
  announcement.value = texts.value.undone;
}

/** Evidence is served as it is on disk, without an envelope. */
export async function readEvidence(url: string): Promise<string> {
  return await (await fetchFile(url)).text();
}
