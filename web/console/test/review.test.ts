import { expect, it } from "vitest";
import { firstPath, type Item } from "../src/features/review/logic/items";

const item = (path: string, group: Item["group"], more: Partial<Item> = {}): Item => ({ path, group, status: "modified", ...more });

it("the first item that is shown is the topmost one, whatever its name", () => {
  const items = [item("a.bin", "binary"), item("b.txt", "new"), item("z.txt", "tracked", { conflict: "deleted" }), item("0", "refused", { refused: "a pipe" })];
  expect(firstPath(items)).toBe("z.txt");
  expect(firstPath([item("0", "refused", { refused: "a pipe" })])).toBe("");
});
