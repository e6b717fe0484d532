/** The plan that a person confirmed, as a checklist: what the agent has ticked off since is done. */

import type { Asked } from "../../people/logic/queue";
import type { Entry } from "./chat";

export interface PlanStep {
  title: string;
  details: string;
  state: "todo" | "doing" | "done";
}

const TICK = /^[ \t]{0,20}(?:[-*+]|\d{1,9}[.)])[ \t]{1,20}\[([ xX~-])\](.+)$/gm;

const plain = (title: string): string => title.replace(/[*_`~]/g, "").replace(/\s+/g, " ").trim().toLowerCase();

/** The last one that was confirmed in this task; `answered` are the newest first. */
export function confirmedPlan(answered: readonly Asked[], taskId: string): Asked | undefined {
  return answered.find(({ request, response }) => request.runId === taskId && request.prompt.kind === "task_confirm" && response?.response.status === "ok");
}

export function checklist(plan: Asked | undefined, entries: readonly Entry[]): PlanStep[] {
  const tasks = plan?.response?.response.tasks ?? [];
  const since = Date.parse(plan?.response?.ts ?? "");
  const [ticked, checked] = [ticksSince(entries, since), checkedSince(entries, since)];
  return tasks.map(({ title, details, status }, at) => {
    const state = status === "done" || checked.has(at + 1) ? "done" : stateOf(ticked.get(plain(title)));
    return { title, details, state: state === "todo" && status === "doing" ? status : state };
  });
}

/** The same where only the conversation is known: what the agent was told of the confirmed plan. */
export function notedPlan(entries: readonly Entry[]): PlanStep[] {
  const noted = [...entries].reverse().find(({ kind, text }) => kind === "note" && text.search(TICK) >= 0);
  if (!noted) return [];
  const [ticked, checked] = [ticksSince(entries, noted.at), checkedSince(entries, noted.at)];
  return [...noted.text.matchAll(TICK)].map(([, , title = ""], at) => ({ title: title.trim(), details: "", state: checked.has(at + 1) ? "done" : stateOf(ticked.get(plain(title))) }));
}

/** Whether it is a call by which the agent checks off steps. */
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
