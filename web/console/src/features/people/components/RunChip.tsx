import type { RequestEntry } from "@handrail/host";
import { tasks } from "../../browser/store";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";

/** The run that asks: a task is shown by name and links to its conversation. What another program calls its run is shown as it is. */
export function RunChip({ request: { runId, isOwn } }: { request: RequestEntry }) {
  const t = texts.value;
  const task = tasks.value.find(({ taskId }) => taskId === runId);
  if (!runId || (!task?.title && isOwn)) return null;
  if (!task?.title) return <Chip label={t.run} text={runId} />;
  return <a class="chip run-chip" href={`#/chat/${encodeURIComponent(runId)}`} title={visible(runId)}><span class="chip-label">{t.run} </span>{visible(task.title)}</a>;
}
