import { expect, test } from "vitest";
import { canUndo, foldRecords, imageUrl, undoneIn, type AuditRecord } from "../src/features/history/logic/calls";

const begin: AuditRecord = {
  seq: 1, ts: "2026-01-01T00:00:00Z", event: "begin", executionId: "e1", tool: "write_to_file", effect: "WRITE", target: "a.txt",
};
const end: AuditRecord = {
  ...begin, seq: 2, ts: "2026-01-01T00:00:01Z", event: "end", ok: true, outcome: "done", durationMs: 5, evidence: { dir: "d", sha256: {} },
};
const denied: AuditRecord = {
  seq: 3, ts: "2026-01-01T00:00:02Z", event: "end", executionId: "e2", tool: "execute_command", effect: "EXECUTE", ok: false, outcome: "denied",
  error: { condition: "Declined", message: "denied" },
};

test("a begin and an end record are one call, in any order", () => {
  for (const records of [[begin, end], [end, begin]]) {
    const [call, ...more] = foldRecords([], records);
    expect(more).toEqual([]);
    expect(call).toMatchObject({ state: "done", durationMs: 5, startedAt: begin.ts });
  }
});

test("a call without an end is running; after a day it was cut off", () => {
  expect(foldRecords([], [{ ...begin, ts: new Date().toISOString() }])[0]?.state).toBe("running");
  expect(foldRecords([], [begin])[0]?.state).toBe("unknown");
});

test("the newest call comes first, with the outcome that the server names", () => {
  const calls = foldRecords(foldRecords([], [begin]), [denied, end]);
  expect(calls.map((call) => [call.executionId, call.state])).toEqual([["e2", "denied"], ["e1", "done"]]);
});

test("what a page of the console looks up by itself is no call of anyone", () => {
  expect(foldRecords([], [{ ...end, isStatus: true }])).toEqual([]);
});

test("only a finished write can be undone", () => {
  expect(foldRecords([], [begin, end, denied]).map(canUndo)).toEqual([false, true]);
});

test("undos are found in the record; an undone undo no longer counts", () => {
  const undo = (seq: number, executionId: string, undoes: string, outcome: AuditRecord["outcome"] = "done"): AuditRecord => ({ ...end, seq, executionId, undoes, outcome });
  const once = foldRecords([], [begin, end, undo(3, "e2", "e1")]);
  expect(undoneIn(once)).toEqual(new Set(["e1"]));
  expect(undoneIn(foldRecords(once, [undo(4, "e3", "e2")]))).toEqual(new Set(["e2"]));
  expect(undoneIn(foldRecords([], [begin, end, undo(3, "e2", "e1", "failed")]))).toEqual(new Set());
});

test("pictures are loaded only from the evidence", () => {
  expect(imageUrl("artifacts/desktop/2026-01-01/e1/before.png")).toBe("/api/evidence/e1/before.png");
  expect(imageUrl("https://evil.example/x.png")).toBe("/api/evidence/evil.example/x.png");
  expect(imageUrl("x.png")).toBeNull();
});
