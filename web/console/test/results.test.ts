import type { RequestEntry } from "@handrail/host";
import { expect, test } from "vitest";
import type { Entry } from "../src/features/agent/logic/chat";
import { answerOf, isReportedIn, promptOf, questionOf, reportOf } from "../src/features/agent/logic/results";

const used = (name: string, given: unknown, text = ""): Entry => ({ kind: "tool", id: "x", at: 1, text, tool: { name, executionId: "x", status: "success", arguments: given } });
const reported = (markdown: string, more: Partial<RequestEntry> = {}): RequestEntry => ({
  ts: "2026-01-01T00:00:00Z", type: "ui_prompt", action: "request", requestId: markdown, runId: "task", ...more,
  prompt: { kind: "result", title: "Done", source: "handrail/attempt_completion", markdown },
});

test("a completion has a report, whether its arguments are parsed or raw JSON", () => {
  expect(reportOf(used("attempt_completion", { result: "All **done**" }))).toBe("All **done**");
  expect(reportOf(used("attempt_completion", '{"result": "All done"}'))).toBe("All done");
  expect(reportOf(used("attempt_completion", "no JSON"))).toBe("");
  expect(reportOf(used("read_file", { result: "x" }))).toBe("");
});

test("a question and its answer are read from the call", () => {
  const entry = used("ask_followup_question", { question: "Which tea?" }, '{"answer":"Jasmine","ack":true}');
  expect([questionOf(entry), answerOf(entry)]).toEqual(["Which tea?", "Jasmine"]);
  expect(answerOf(used("read_file", {}, '{"answer":"no"}'))).toBe("");
});

test("the prompt has all of a report that was shortened", () => {
  const whole = reported("a long story with its end");
  expect(promptOf(used("attempt_completion", { result: "a long story…" }), "task", [{ request: whole }])?.request).toBe(whole);
  expect(promptOf(used("attempt_completion", { result: "a long story…" }), "another", [{ request: whole }])).toBeUndefined();
});

test("only a result that is in the conversation counts as reported there", () => {
  const entries = [used("attempt_completion", { result: "Done" })];
  expect(isReportedIn(reported("Done"), entries)).toBe(true);
  expect(isReportedIn(reported("Something else"), entries)).toBe(false);
  expect(isReportedIn({ ...reported("Done"), prompt: { kind: "result", title: "Done", source: "a program", markdown: "Done" } }, entries)).toBe(false);
});
