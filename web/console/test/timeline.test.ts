import { expect, test } from "vitest";
import { foldRecords, type AuditRecord } from "../src/features/history/logic/calls";
import { actsIn, diffGist, namesOf, timelineOf, verdictOf } from "../src/features/history/logic/timeline";

let seq = 0;
const record = (tool: string, effect: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  seq: ++seq, ts: `2026-01-11T11:${String(seq).padStart(2, "0")}:00Z`, executionId: `exec_${seq}`, event: "end", ok: true, outcome: "done", tool, effect, ...more,
});

test("consecutive reads are one step, changes are separate steps", () => {
  const calls = foldRecords([], [
    record("read_file", "READ", { target: "a" }), record("read_file", "READ", { target: "b" }), record("search_files", "READ"),
    record("write_to_file", "WRITE", { target: "a" }), record("read_file", "READ", { target: "a" }),
  ]);
  const steps = timelineOf(calls);
  expect(steps.map(({ calls: inside, isGroup }) => [inside.length, isGroup])).toEqual([[3, true], [1, false], [1, true]]);
  expect(actsIn(steps[0]!).map(([act, inside]) => [act, inside.length])).toEqual([["read", 2], ["search", 1]]);
  expect(namesOf(steps[0]!)).toEqual(["a", "b"]);
});

test("what a group's sentence names is not listed below it", () => {
  const calls = foldRecords([], [
    record("list_files", "READ", { target: "." }), record("read_file", "READ", { target: "a" }), record("read_file", "READ", { target: "b" }),
    record("read_file", "READ", { target: "a" }), record("search_files", "READ", { target: "src" }),
  ]);
  expect(namesOf(timelineOf(calls)[0]!)).toEqual(["a", "b"]);
  expect(namesOf(timelineOf(calls.slice(0, 1))[0]!)).toEqual([]);
  const onPage = { target: "http://shop.test" };
  const waits = foldRecords([], [record("browser_wait_for", "READ", onPage), record("browser_wait_for", "READ", onPage), record("browser_page", "READ", onPage)]);
  expect(namesOf(timelineOf(waits)[0]!)).toEqual([]);
});

test("what a client reports about its own step afterwards is no step", () => {
  const calls = foldRecords([], [record("native_read", "READ", { target: "a" }), record("native_outcome", "READ"), record("native_read", "READ", { target: "b" }), record("native_outcome", "READ", { ok: false, outcome: "failed" })]);
  expect(timelineOf(calls).map(({ calls: inside }) => inside.map(({ tool }) => tool))).toEqual([["native_read", "native_read"], ["native_outcome"]]);
});

test("a read that was refused is a step of its own", () => {
  const calls = foldRecords([], [record("read_file", "READ"), record("read_file", "READ", { ok: false, outcome: "denied" })]);
  expect(timelineOf(calls).map(({ isGroup }) => isGroup)).toEqual([true, false]);
});

test("the decision is summarised in a few words", () => {
  const of = (more: Partial<AuditRecord>): unknown => verdictOf(foldRecords([], [record("write_to_file", "WRITE", more)])[0]!);
  expect(of({ answer: { status: "ok", by: "console:you, prompt x" } })).toBe("you");
  expect(of({ answer: { status: "ok", by: "allowed for this task by console:you (grant 1)" } })).toBe("task");
  expect(of({ ok: false, outcome: "denied", answer: { status: "canceled", by: "console:you" } })).toBe("denied");
  expect(of({ decision: "allow (your rule 2)" })).toBe("rule");
  expect(of({ decision: "allow (default for WRITE)" })).toBeNull();
});

test("a diff's summary counts every line and shows the first", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n--- x\n-two\n+three\n+four\n";
  expect(diffGist(diff, 2)).toEqual({ lines: [{ kind: "delete", text: "-- x" }, { kind: "delete", text: "two" }], added: 2, deleted: 2 });
});

test("ten thousand calls make one timeline", () => {
  const many = foldRecords([], Array.from({ length: 10_000 }, (_, at) => record(at % 3 ? "read_file" : "write_to_file", at % 3 ? "READ" : "WRITE")));
  expect(timelineOf(many).reduce((sum, { calls }) => sum + calls.length, 0)).toBe(10_000);
});
