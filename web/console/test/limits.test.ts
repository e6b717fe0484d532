import { expect, test } from "vitest";
import { raised, readLimit } from "../src/features/agent/logic/limits";

test.each([
  ["mostSteps", "12", 12], ["mostSteps", " 1 ", 1], ["mostSteps", "", null], ["mostSteps", "0", undefined], ["mostSteps", "10001", undefined], ["mostSteps", "2.5", undefined],
  ["mostCost", "2.50", 2.5], ["mostCost", "2,5", 2.5], ["mostCost", "0", 0], ["mostCost", "", null], ["mostCost", "-1", undefined], ["mostCost", "much", undefined],
] as const)("%s typed as %j is %j", (name, typed, limit) => {
  expect(readLimit(name, typed)).toBe(limit);
});

test("a reached limit is offered twice as high, within the maximum", () => {
  expect([raised("mostSteps", 100), raised("mostSteps", 9000), raised("mostCost", 5)]).toEqual([200, 10_000, 10]);
});
