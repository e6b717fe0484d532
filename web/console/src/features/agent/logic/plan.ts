/** The plan that a person confirmed, as a checklist: steps that the agent has ticked off since are done. */

import type { QueuedPrompt } from "../../people/logic/queue";
import type { Entry } from "./chat";

export interface PlanStep {
  title: string;
  details: string;
  state: "todo" | "doing" | "done";
}

const TICK = /^[ \t]{0,20}(?:[-*+]|\d{1,9}[.)])[ \t]{1,20}\[([ xX~-])\](.+)$/gm;

const plain = (title: string): string => title.replace(/[*_`~]/g, "").replace(/\s+/g, " ").trim().toLowerCase();

/** The last plan that was confirmed in this task; `answered` is sorted newest first. */
export function confirmedPlan(answered: readonly QueuedPrompt[], taskId: string): QueuedPrompt | undefined {
  return answered.find(({ request, response }) => request.runId === taskId && request.prompt.kind === "task_confirm" && response?.response.status === "ok");
}

export function checklist(plan: QueuedPrompt | undefined, entries: readonly Entry[]): PlanStep[] {
  const tasks = plan?.response?.response.tasks ?? [];
  const since = Date.parse(plan?.response?.ts ?? "");
  const [ticked, checked] = [ticksSince(entries, since), checkedSince(entries, since)];
  return tasks.map(({ title, details, status }, at) => {
    const state = status === "done" || checked.has(at + 1) ? "done" : stateOf(ticked.get(plain(title)));
    return { title, details, state: state === "todo" && status === "doing" ? status : state };
  });
}

/** The same from the conversation alone: what the agent was told about the confirmed plan. */
export function planFromNotes(entries: readonly Entry[]): PlanStep[] {
  const note = [...entries].reverse().find(({ kind, text }) => kind === "note" && text.search(TICK) >= 0);
  if (!note) return [];
  const [ticked, checked] = [ticksSince(entries, note.at), checkedSince(entries, note.at)];
  return [...note.text.matchAll(TICK)].map(([, , title = ""], at) => ({ title: title.trim(), details: "", state: checked.has(at + 1) ? "done" : stateOf(ticked.get(plain(title))) }));
}

/** Whether this is a call with which the agent checks off steps. */
export const isCheckOff = ({ kind, tool }: Entry): boolean => kind === "tool" && tool?.name === "check_off";

/** The numbers of the steps that the agent has checked off, from 1. */
function checkedSince(entries: readonly Entry[], since: number): Set<number> {
  const checked = entries.filter((entry) => isCheckOff(entry) && entry.at >= since && entry.tool?.status === "success");
  return new Set(checked.flatMap(({ tool }) => (tool?.arguments as { steps?: number[] } | undefined)?.steps ?? []));
}

function ticksSince(entries: readonly Entry[], since: number): Map<string, string> {
  const ticked = new Map<string, string>();
  for (const { kind, at, text } of entries) {
    if (kind !== "assistant" || at < since) continue;
    for (const [, mark = "", title = ""] of text.matchAll(TICK)) ticked.set(plain(title), mark);
  }
  return ticked;
}

const stateOf = (mark = " "): PlanStep["state"] => (/x/i.test(mark) ? "done" : mark === " " ? "todo" : "doing");
