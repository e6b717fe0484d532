import { expect, test } from "vitest";
import { visible, visibleParts } from "../src/logic/visible";

test("text without hidden characters stays unchanged", () => {
  expect(visible("plain, 中文, émoji 🙂\n\tand lines")).toBe("plain, 中文, émoji 🙂\n\tand lines");
});

test.each([
  ["a bidi override", "\u202e", "\\u{202e}"],
  ["a zero-width space", "\u200b", "\\u{200b}"],
  ["a carriage return", "\r", "\\u{d}"],
  ["an escape", "\u001b[2J", "\\u{1b}[2J"],
  ["a tag character", "\u{e0041}", "\\u{e0041}"],
  ["a line separator", "\u2028", "\\u{2028}"],
  ["a private code point", "\ue000", "\\u{e000}"],
  ["an unassigned code point", "\u0378", "\\u{378}"],
  ["a lone surrogate", "\ud800", "\\u{d800}"],
  ["a soft hyphen", "\u00ad", "\\u{ad}"],
])("%s is spelled out", (_what, hidden, shown) => {
  expect(visible(`a${hidden}b`)).toBe(`a${shown}b`);
});

test("an escape can be distinguished from text that looks like one", () => {
  expect(visibleParts("\\u{202e}\u202e\u200bx")).toEqual([
    { text: "\\u{202e}", isEscape: false },
    { text: "\\u{202e}\\u{200b}", isEscape: true },
    { text: "x", isEscape: false },
  ]);
});
