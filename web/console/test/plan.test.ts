import type { Task } from "@handrail/host";
import { expect, it } from "vitest";
import type { Entry } from "../src/features/agent/logic/chat";
import { checklist, confirmedPlan } from "../src/features/agent/logic/plan";
import type { QueuedPrompt } from "../src/features/people/logic/queue";
import { argumentsText, hintBeside, hintOf } from "../src/features/agent/logic/toolHint";

const step = (title: string, more: Partial<Task> = {}): Task => ({ draftId: title, title, details: "", priority: "medium", status: "todo", tags: [], ...more });
const plan = (runId: string, status: "ok" | "canceled", tasks: Task[]): QueuedPrompt => ({
  request: { ts: "2026-01-01T00:00:00.000Z", type: "ui_prompt", action: "request", requestId: runId, runId, caller: "waiting", prompt: { kind: "task_confirm" } },
  response: { ts: "2026-01-01T00:01:00.000Z", type: "ui_prompt", action: "response", requestId: runId, response: { status, tasks } },
});
const said = (text: string, at = "2026-01-01T00:02:00.000Z"): Entry => ({ kind: "assistant", id: text, at: Date.parse(at), text });

it("the plan is the newest one that was confirmed in this task", () => {
  const [wanted, older] = [plan("t", "ok", [step("a")]), plan("t", "ok", [step("b")])];
  expect(confirmedPlan([plan("other", "ok", []), plan("t", "canceled", []), wanted, older], "t")).toBe(wanted);
});

it("a step is done once the agent has ticked it off, or the person has", () => {
  const steps = checklist(plan("t", "ok", [step("Read it"), step("Write `a.txt`"), step("Look", { status: "done" }), step("Report")]), [
    said("- [x] Report", "2026-01-01T00:00:30.000Z"),
    said("So far:\n- [x] **Read it**\n- [-] Write a.txt\n- [ ] Report"),
  ]);
  expect(steps.map(({ state }) => state)).toEqual(["done", "doing", "done", "todo"]);
});

it("a step is done once the agent has checked it off by its number", () => {
  const call = (steps: number[], status: "success" | "error", at = "2026-01-01T00:02:00.000Z"): Entry =>
    ({ kind: "tool", id: at + status, at: Date.parse(at), text: "", tool: { name: "check_off", executionId: at, status, arguments: { steps } } });
  const calls = [call([3], "success", "2026-01-01T00:00:30.000Z"), call([2], "success"), call([1], "error")];
  const steps = checklist(plan("t", "ok", [step("Read"), step("Write"), step("Report")]), calls);
  expect(steps.map(({ state }) => state)).toEqual(["todo", "done", "todo"]);
});

it("without a plan the checklist is empty", () => {
  expect(checklist(undefined, [said("- [x] a")])).toEqual([]);
});

it("arguments are shown in a line and in full, well-formed or not", () => {
  expect(hintOf('{"limit": 3, "path": "game/start.txt"}')).toBe("game/start.txt");
  expect([hintOf("{broken"), hintOf({ n: 1 }), hintOf({ call_id: "c1", other: "first\nsecond" })]).toEqual(["", "", "first"]);
  expect([hintOf({ clickId: "19" }), hintOf({ tabId: "3", text: "hi" })]).toEqual(["", "hi"]);
  expect([argumentsText("{broken"), argumentsText({}), argumentsText('{"a":1}')]).toEqual(["{broken", "", '{\n  "a": 1\n}']);
});

it("the hint beside a call's name doesn't repeat it, also where a long command is cut", () => {
  const command = `sed -i ${"x".repeat(300)} a.txt\nls`;
  expect(hintBeside(command, { command })).toBe("");
  expect(hintBeside("Edit a.txt", { path: "/p/a.txt" })).toBe("/p/a.txt");
  expect(hintBeside("Run", { command: "ls" }, "in /p")).toBe("ls · in /p");
  expect(hintBeside("Run", { command: "ls /p" }, "/p")).toBe("ls /p");
});
