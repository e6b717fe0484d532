/** What an agent reports at the end of its work: a call in its conversation, and a prompt of the kind "result" in the queue. */

import type { RequestEntry } from "@handrail/host";
import type { Entry } from "./chat";
import { readArguments } from "./toolHint";

const COMPLETION = "attempt_completion";
const ASKING = "ask_followup_question";
const CUT = "…";

const member = (given: unknown, name: string): string => {
  const read = readArguments(given);
  const value = typeof read === "object" && read !== null ? (read as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
};

/** The report of a completion; empty where a call is none. Long ones come by their beginning. */
export const reportOf = ({ tool }: Entry): string => (tool?.name === COMPLETION ? member(tool.arguments, "result") : "");

/** The question that a call asks in the person's own words; empty where it asks none. */
export const questionOf = ({ tool }: Entry): string => (tool?.name === ASKING ? member(tool.arguments, "question") : "");

/** What the person answered: the result of the call, as it was written down. */
export const answerOf = (entry: Entry): string => (questionOf(entry) ? member(entry.text, "answer") : "");

function isReport({ prompt }: RequestEntry, report: string): boolean {
  if (prompt.kind !== "result" || prompt.source !== `handrail/${COMPLETION}` || report === "") return false;
  return report.endsWith(CUT) ? (prompt.markdown ?? "").startsWith(report.slice(0, -CUT.length)) : prompt.markdown === report;
}

/** The prompt that a completion put into the queue: it has all of the report, and may wait for an OK. */
export function promptOf<One extends { request: RequestEntry }>(entry: Entry, taskId: string, asked: Iterable<One>): One | undefined {
  const report = reportOf(entry);
  let found: One | undefined;
  // The same report twice: the last one is meant.
  for (const one of asked) if (one.request.runId === taskId && isReport(one.request, report)) found = one;
  return found;
}

/** A question of the agent's own, or its plan: words in the chat are taken for an answer. An approval is given by its buttons alone. */
export const isAnsweredByWords = ({ prompt }: RequestEntry): boolean =>
  prompt.source === `handrail/${ASKING}` || (prompt.kind === "task_confirm" && prompt.source === "handrail/agent");

/** Whether a prompt stands in the conversation by itself, as the report of a call. */
export const isToldBy = (request: RequestEntry, entries: readonly Entry[]): boolean =>
  request.prompt.kind === "result" && entries.some((entry) => isReport(request, reportOf(entry)));
