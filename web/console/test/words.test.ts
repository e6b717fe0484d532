import { expect, test } from "vitest";
import { parseDiff } from "../src/logic/diff";
import { colourLine, languageOf } from "../src/logic/syntax";
import { changedWords, differences } from "../src/logic/words";

const shown = (text: string, ranges: readonly (readonly [number, number])[]): string[] => ranges.map(([from, to]) => text.slice(from, to));

test("only the words that differ are marked", () => {
  const [before, after] = differences("A small shop.", "A friendly shop.")!;
  expect(shown("A small shop.", before)).toEqual(["small"]);
  expect(shown("A friendly shop.", after)).toEqual(["friendly"]);
});

test("lines that share nothing aren't compared", () => {
  expect(differences("end;", "changeBg:beach.jpg -next")).toBeNull();
});

test("Chinese text is compared, and no character is cut", () => {
  const [before, after] = differences("雪乃:今天好 🏖️;", "雪乃:明天好 🏖️;")!;
  expect(before.length + after.length).toBeGreaterThan(0);
});

test("the lines of a hunk are paired in order", () => {
  const { lines } = parseDiff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-const tax = 0;\n-return 1;\n+const tax = 0.19;\n+return 2;\n");
  const marked = [...changedWords(lines)].map(([line, ranges]) => ("text" in line ? shown(line.text, ranges) : []));
  expect(marked).toEqual([[], [".19"], ["1"], ["2"]]);
});

test("very long lines are skipped", () => {
  expect(differences("x ".repeat(5000), "y ".repeat(5000))).toBeNull();
});

test("code is coloured by the file's kind, prose is not", () => {
  const line = 'const name = "a // b"; // why 12';
  const found = colourLine(line, languageOf("src/a.ts")!).map(({ from, to, as }) => [as, line.slice(from, to)]);
  expect(found).toEqual([["word", "const"], ["text", '"a // b"'], ["note", "// why 12"]]);
  expect(colourLine("x1 = 0.19  # tax", languageOf("a.py")!).map(({ as }) => as)).toEqual(["number", "note"]);
  expect(languageOf("README.md")).toBeNull();
});
