/**
 * What an agent reports at the end of its work: a call in its conversation, and a prompt of the kind "result" in the
 * queue.
 */

import type { RequestEntry } from "@handrail/host";
import type { Entry } from "./chat";
import { readArguments } from "./toolHint";

const COMPLETION = "attempt_completion";
const ASKING = "ask_followup_question";
const CUT = "…";

const member = (json: unknown, name: string): string => {
  const parsed = readArguments(json);
  const value = typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
};

/** The report of a completion, long ones shortened; empty for other calls. */
export const reportOf = ({ tool }: Entry): string => (tool?.name === COMPLETION ? member(tool.arguments, "result") : "");

/** The question that a call asks; empty for other calls. */
export const questionOf = ({ tool }: Entry): string => (tool?.name === ASKING ? member(tool.arguments, "question") : "");

/** The person's answer: the recorded result of the call. */
export const answerOf = (entry: Entry): string => (questionOf(entry) ? member(entry.text, "answer") : "");

function isReport({ prompt }: RequestEntry, report: string): boolean {
  if (prompt.kind !== "result" || prompt.source !== `handrail/${COMPLETION}` || report === "") return false;
  return report.endsWith(CUT) ? (prompt.markdown ?? "").startsWith(report.slice(0, -CUT.length)) : prompt.markdown === report;
}

/** The prompt that a completion put into the queue. It has the whole report, and may be waiting for an OK. */
export function promptOf<One extends { request: RequestEntry }>(entry: Entry, taskId: string, prompts: Iterable<One>): One | undefined {
  const report = reportOf(entry);
  let match: One | undefined;
  // If there are several prompts with the same report, the last one counts.
  for (const one of prompts) if (one.request.runId === taskId && isReport(one.request, report)) match = one;
  return match;
}

/** A question of the agent, or its plan: a chat message counts as the answer. An approval needs its buttons. */
export const isAnsweredByWords = ({ prompt }: RequestEntry): boolean =>
  prompt.source === `handrail/${ASKING}` || (prompt.kind === "task_confirm" && prompt.source === "handrail/agent");

/** Whether the prompt already appears in the conversation as the report of a call. */
export const isReportedIn = (request: RequestEntry, entries: readonly Entry[]): boolean =>
  request.prompt.kind === "result" && entries.some((entry) => isReport(request, reportOf(entry)));
