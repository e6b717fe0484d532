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
  const ticked = new Map<string, string>();
  for (const { kind, at, text } of entries) {
    if (kind !== "assistant" || at < since) continue;
    for (const [, mark = "", title = ""] of text.matchAll(TICK)) ticked.set(plain(title), mark);
  }
  return tasks.map(({ title, details, status }) => {
    const mark = ticked.get(plain(title));
    const state = status === "done" || mark === "x" || mark === "X" ? "done" : status === "doing" || mark === "~" || mark === "-" ? "doing" : "todo";
    return { title, details, state };
  });
}
