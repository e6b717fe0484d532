import { expect, test } from "vitest";
import { canHandBack, canLook, canStop, canTakeOver, mergeTasks, type BrowserTask, type TaskStatus } from "../src/logic/browserTasks";

const task = (taskId: string, updatedAt: number, status: TaskStatus = "ongoing"): BrowserTask => ({ taskId, title: taskId, status, createdAt: 0, updatedAt });

test("the last changed comes first, and older news change nothing", () => {
  const known = mergeTasks([], [task("a", 10), task("b", 20)]);
  expect(known.map(({ taskId }) => taskId)).toEqual(["b", "a"]);
  const later = mergeTasks(known, [task("a", 30, "running"), task("b", 5, "error")]);
  expect(later.map(({ taskId, status }) => [taskId, status])).toEqual([["a", "running"], ["b", "ongoing"]]);
});

test("of two states of the same moment the later told counts", () => {
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
