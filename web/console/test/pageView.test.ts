import { expect, test } from "vitest";
import { describe, hasPicture, boxesOf, type Picture, type SeenElement } from "../src/features/browser/logic/pageView";

const element = (clickId: string, x: number, y: number, w: number, h: number): SeenElement => ({ clickId, tag: "button", bbox: { x, y, w, h } });
const picture = (...elements: SeenElement[]): Picture => ({ taskId: "t", artifactId: "art-1", width: 1000, height: 500, takenAt: 1, elements });

test("boxes are percent of the picture", () => {
  expect(boxesOf(picture(element("1", 100, 50, 200, 25)))).toMatchObject([{ left: 10, top: 10, width: 20, height: 5 }]);
});

test("boxes are clipped at the edge, and those outside are left out", () => {
  const boxes = boxesOf(picture(element("1", -50, -10, 100, 20), element("2", 950, 490, 100, 20), element("3", 1200, 0, 10, 10)));
  expect(boxes.map(({ element: { clickId }, left, top, width, height }) => [clickId, left, top, width, height])).toEqual([["1", 0, 0, 5, 2], ["2", 95, 98, 5, 2]]);
});

test("a small box lies over the large one around it", () => {
  const boxes = boxesOf(picture(element("small", 10, 10, 10, 10), element("large", 0, 0, 100, 100)));
  expect(boxes.map((box) => box.element.clickId)).toEqual(["large", "small"]);
});

test("an element is described as agents read it", () => {
  expect(describe({ ...element("12", 0, 0, 1, 1), role: "link", name: "Save" })).toBe('12 link "Save"');
  expect(describe(element("f3:1", 0, 0, 1, 1))).toBe("f3:1 button");
});

test("a task without a picture has none", () => {
  expect(hasPicture(null)).toBe(false);
  expect(hasPicture({ taskId: "t", elements: [] })).toBe(false);
  expect(hasPicture(picture())).toBe(true);
});
