import { expect, test } from "vitest";
import { canHandBack, canLook, canStop, canTakeOver, lastChanged, mergeTasks, type BrowserTask, type TaskStatus } from "../src/features/browser/logic/browserTasks";

const task = (taskId: string, updatedAt: number, status: TaskStatus = "ongoing", createdAt = 0): BrowserTask => ({ taskId, title: taskId, status, createdAt, updatedAt });

test("the newest task comes first and keeps its place, and older events change nothing", () => {
  const known = mergeTasks([], [task("a", 10, "ongoing", 1), task("b", 20, "ongoing", 2)]);
  expect(known.map(({ taskId }) => taskId)).toEqual(["b", "a"]);
  const later = mergeTasks(known, [task("a", 30, "running", 1), task("b", 5, "error", 2)]);
  expect(later.map(({ taskId, status }) => [taskId, status])).toEqual([["b", "ongoing"], ["a", "running"]]);
  expect(lastChanged(later)?.taskId).toBe("a");
  expect(lastChanged([])).toBeUndefined();
});

test("of two states of the same moment the later event wins", () => {
  expect(mergeTasks([task("a", 10, "running")], [task("a", 10, "ongoing")])[0]?.status).toBe("ongoing");
});

test.each<[TaskStatus, boolean, boolean, boolean, boolean]>([
  ["created", true, false, true, true],
  ["running", true, false, true, true],
  ["ongoing", true, false, true, true],
  ["takeover", false, true, true, false],
  ["completed", false, false, false, false],
  ["error", true, false, true, true],
])("what a person can do with a task that is %s", (status, takes, hands, stops, looks) => {
  const one = task("a", 1, status);
  expect([canTakeOver(one), canHandBack(one), canStop(one), canLook(one)]).toEqual([takes, hands, stops, looks]);
});

test("screenshots are possible during a takeover if the agent may read", () => {
  expect(canLook({ ...task("a", 1, "takeover"), reading: true })).toBe(true);
});
