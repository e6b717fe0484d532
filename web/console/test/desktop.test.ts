import { expect, test } from "vitest";
import { boxOf, distinct, lineAt, type DesktopLine, type DesktopSnapshot } from "../src/features/desktop/logic/desktop";

const line = (elementId: string, x: number, y: number, width: number, height: number): DesktopLine => ({ elementId, depth: 0, text: "button", frame: { x, y, width, height } });
const sight = (lines: DesktopLine[], area = { x: 0, y: 0, width: 200, height: 100 }): DesktopSnapshot => ({
  executionId: "x", takenAt: "", route: { frontmostBundleId: "", windowTitle: "" }, windows: [], area, lines, truncated: false,
});

test("a box is in percent of the picture and clipped to it", () => {
  expect(boxOf(line("e:1", 50, 25, 100, 50), { x: 0, y: 0, width: 200, height: 100 })).toEqual({ left: 25, top: 25, width: 50, height: 50 });
  expect(boxOf(line("e:1", -50, 90, 100, 50), { x: 0, y: 0, width: 200, height: 100 })).toEqual({ left: 0, top: 90, width: 25, height: 10 });
});

test("boxes are relative to the part of the screen that the picture shows", () => {
  expect(boxOf(line("e:1", 110, 60, 20, 10), { x: 100, y: 50, width: 200, height: 100 })).toEqual({ left: 5, top: 10, width: 10, height: 10 });
});

test("an element outside the picture, or without a place, has no box", () => {
  expect(boxOf(line("e:1", 300, 0, 10, 10), { x: 0, y: 0, width: 200, height: 100 })).toBeNull();
  expect(boxOf({ ...line("e:1", 0, 0, 1, 1), frame: null }, { x: 0, y: 0, width: 200, height: 100 })).toBeNull();
});

test("a point in the picture selects the innermost element there", () => {
  const seen = sight([line("e:1", 0, 0, 200, 100), line("e:2", 10, 10, 50, 50), line("e:3", 10, 10, 50, 50), line("e:4", 150, 0, 50, 100)]);
  expect(lineAt(seen, 0.1, 0.2)?.elementId).toBe("e:3");
  expect(lineAt(seen, 0.9, 0.5)?.elementId).toBe("e:4");
  expect(lineAt(seen, 0.5, 0.5)?.elementId).toBe("e:1");
  expect(lineAt(sight([]), 0.5, 0.5)).toBeNull();
});

test("an issue that affects several things is listed once", () => {
  const fix = (about: string, issue: string) => ({ about, issue, fix: "Set DISPLAY." });
  expect(distinct([fix("screen", "No display."), fix("input", "No display."), fix("reading", "No bus.")]).map(({ issue }) => issue)).toEqual(["No display.", "No bus."]);
});
