import { expect, test } from "vitest";
import { characterKey, parseChord } from "../src/worker/keys";

test("named keys, letters and combinations are understood in their usual spellings", () => {
  expect(parseChord("Enter")).toEqual({ modifiers: [], key: { key: "Enter", code: "Enter", keyCode: 13, text: "\r" } });
  expect(parseChord("ctrl+A").modifiers).toEqual(["Control"]);
  expect(parseChord("Control+a").key).toEqual({ key: "a", code: "KeyA", keyCode: 65 });
  expect(parseChord("Shift+a").key).toMatchObject({ key: "A", text: "A" });
  expect(parseChord("esc").key.key).toBe("Escape");
  expect(parseChord("cmd+shift+ArrowDown")).toMatchObject({ modifiers: ["Meta", "Shift"], key: { key: "ArrowDown" } });
  expect(parseChord("+").key).toMatchObject({ key: "+", code: "Equal" });
  expect(parseChord("Control++")).toMatchObject({ modifiers: ["Control"], key: { key: "+" } });
  expect(parseChord("F12").key).toEqual({ key: "F12", code: "F12", keyCode: 123 });
  expect(parseChord("ü").key).toMatchObject({ key: "ü", text: "ü" });
});

test.each(["", "Hyper+x", "Control+", "abc", "a+b"])("%j names no key", (combination) => {
  expect(() => parseChord(combination)).toThrowError(/names no key/);
});

test("every printable ASCII character has its key of the US layout", () => {
  for (let code = 0x20; code < 0x7f; code++) expect(characterKey(String.fromCharCode(code)).code).not.toBe("");
  expect(characterKey("!")).toMatchObject({ code: "Digit1", isShifted: true });
});
