import { expect, test } from "vitest";
import { OwnInput } from "../src/worker/own_input";

function at(start = 0) {
  const clock = { now: start };
  return { clock, own: new OwnInput(() => clock.now) };
}
const pointer = (x: number, y: number) => ({ kind: "pointer" as const, x, y, key: "" });
const key = (name: string) => ({ kind: "key" as const, x: 0, y: 0, key: name });

test("an announced click counts as ours once; the same click again is a person's", () => {
  const { own } = at();
  own.pointer(1, 100, 50);
  expect(own.isOwn(1, pointer(101, 49.5))).toBe(true);
  expect(own.isOwn(1, pointer(100, 50))).toBe(false);
});

test("a click at another place or tab, or another key, is a person's", () => {
  const { own } = at();
  own.pointer(1, 100, 50);
  own.key(1, "a");
  expect(own.isOwn(1, pointer(140, 50))).toBe(false);
  expect(own.isOwn(2, pointer(100, 50))).toBe(false);
  expect(own.isOwn(1, key("b"))).toBe(false);
  expect(own.isOwn(1, key("a"))).toBe(true);
});

test("the same key typed twice is announced twice", () => {
  const { own } = at();
  own.key(1, "l");
  own.key(1, "l");
  expect([own.isOwn(1, key("l")), own.isOwn(1, key("l")), own.isOwn(1, key("l"))]).toEqual([true, true, false]);
});

test("an unused announcement doesn't cover a person's click much later", () => {
  const { own, clock } = at();
  own.pointer(1, 100, 50);
  clock.now = 60_000;
  expect(own.isOwn(1, pointer(100, 50))).toBe(false);
});
