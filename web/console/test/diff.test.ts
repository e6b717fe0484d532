import { expect, test } from "vitest";
import { foldDiff, parseDiff, splitRows, withFileHeads } from "../src/logic/diff";

const changed = ["--- a/x", "+++ b/x", "@@ -11,2 +11,3 @@", " same", "-old", "+new", "+more"].join("\n");

test("lines get the numbers of both sides", () => {
  const { lines, added, deleted } = parseDiff(changed);
  expect(lines.slice(3)).toEqual([
    { kind: "context", old: 11, new: 11, text: "same" },
    { kind: "delete", old: 12, text: "old" },
    { kind: "add", new: 12, text: "new" },
    { kind: "add", new: 13, text: "more" },
  ]);
  expect([added, deleted]).toEqual([2, 1]);
});

test("unchanged lines that the diff leaves out are counted", () => {
  const { lines } = parseDiff("@@ -3 +3 @@\n-a\n+b\n@@ -9,0 +10 @@\n+c\n");
  expect(lines.filter((line) => line.kind === "gap")).toEqual([
    { kind: "gap", count: 2 },
    { kind: "gap", count: 6 },
  ]);
});

test("a deleted line that looks like a header is a deleted line", () => {
  const { lines } = parseDiff("--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- x\n-@@ -1 +1 @@\n+++ y\n");
  expect(lines.slice(2).map((line) => line.kind)).toEqual(["delete", "delete", "add"]);
});

test("a missing newline at the end is shown and does not end the hunk", () => {
  const { lines } = parseDiff("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n");
  expect(lines.map((line) => line.kind)).toEqual(["delete", "note", "add"]);
});

test("text that isn't a diff is shown unchanged", () => {
  expect(parseDiff("@@ ...\nhello").lines).toEqual([
    { kind: "note", text: "@@ ..." },
    { kind: "note", text: "hello" },
  ]);
});

test("carriage returns stay in the text, so that they can be shown", () => {
  expect(parseDiff("@@ -1 +1 @@\n-a\r\n+a\n").lines[0]).toEqual({ kind: "delete", old: 1, text: "a\r" });
});

test("long unchanged stretches fold and open", () => {
  const context = Array.from({ length: 20 }, (_, at) => ` line ${at}`);
  const { lines } = parseDiff(["@@ -1,22 +1,22 @@", "-a", "+b", ...context, "-c", "+d"].join("\n"));
  const folded = foldDiff(lines, new Set());
  const fold = folded.find((row) => row.kind === "fold");
  expect(fold?.kind === "fold" && fold.lines.length).toBe(14);
  expect(folded).toHaveLength(2 + 3 + 1 + 3 + 2);
  expect(foldDiff(lines, new Set([2]))).toHaveLength(24);
});

test("side by side, deleted lines face added ones", () => {
  const rows = splitRows(foldDiff(parseDiff(changed).lines.slice(3), new Set()));
  expect(rows.map((row) => row.kind === "pair" && [row.left?.kind, row.right?.kind])).toEqual([
    ["context", "context"],
    ["delete", "add"],
    [undefined, "add"],
  ]);
});

test("a diff of a megabyte takes the processor less than a second", () => {
  const body = Array.from({ length: 20_000 }, (_, at) => `+${"x".repeat(50)}${at}`).join("\n");
  const before = process.cpuUsage();
  expect(parseDiff(`@@ -0,0 +1,20000 @@\n${body}`).added).toBe(20_000);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000);
});

test("each of several files is named once, a single one in the view's header", () => {
  const several = withFileHeads(parseDiff("--- /dev/null\n+++ b/docs/a.md\n@@ -0,0 +1 @@\n+# A\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n").lines);
  expect(several.files).toEqual(["docs/a.md", "old.md"]);
  expect(several.lines).toEqual([
    { kind: "file", path: "docs/a.md", isNew: true, isDeleted: false },
    { kind: "add", new: 1, text: "# A" },
    { kind: "file", path: "old.md", isNew: false, isDeleted: true },
    { kind: "delete", old: 1, text: "x" },
  ]);
  const single = withFileHeads(parseDiff(changed).lines);
  expect([single.files, single.lines[0]?.kind]).toEqual([["x"], "gap"]);
});

test("a renamed file keeps the two lines that name it", () => {
  const { lines, files } = withFileHeads(parseDiff("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n").lines);
  expect([files, lines.slice(0, 2).map(({ kind }) => kind)]).toEqual([[], ["note", "note"]]);
});

test("hunks that don't say where they are count as well, and have no numbers", () => {
  const { lines, added, deleted } = parseDiff("--- a/x\n+++ b/x\n@@ … @@\n-old\n+new\n+more\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n");
  expect(lines.slice(2, 6)).toEqual([{ kind: "note", text: "⋯" }, { kind: "delete", text: "old" }, { kind: "add", text: "new" }, { kind: "add", text: "more" }]);
  expect([added, deleted]).toEqual([3, 1]);
  expect(withFileHeads(lines).files).toEqual(["x", "y"]);
});
