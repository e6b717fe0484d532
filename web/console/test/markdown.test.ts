import { expect, test } from "vitest";
import { parseInline, parseMarkdown } from "../src/logic/markdown";

test("blocks are told apart", () => {
  const text = "# Title\n\ntext\nmore\n\n- a\n- b\n\n1. c\n\n> q\n\n```js\n<b>\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |";
  expect(parseMarkdown(text).map((block) => block.kind)).toEqual([
    "heading", "paragraph", "list", "list", "quote", "code", "rule", "table",
  ]);
});

test("HTML stays text", () => {
  const html = "<img src=x onerror=alert(1)>";
  expect(parseMarkdown(html)).toEqual([{ kind: "paragraph", children: [{ kind: "text", text: html }] }]);
});

test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "vbscript:x"])("%s is no link", (href) => {
  expect(parseInline(`[click](${href})`).every((part) => part.kind === "text")).toBe(true);
});

test("links, marks and code are found", () => {
  expect(parseInline("a **b** `c*d*` [e](https://f.example)")).toEqual([
    { kind: "text", text: "a " },
    { kind: "strong", children: [{ kind: "text", text: "b" }] },
    { kind: "text", text: " " },
    { kind: "code", text: "c*d*" },
    { kind: "text", text: " " },
    { kind: "link", href: "https://f.example", children: [{ kind: "text", text: "e" }] },
  ]);
});

test("items of a checklist say how far they are", () => {
  const [list] = parseMarkdown("- [x] read\n- [~] write\n- [ ] test\n- [link](https://a.example)\n- plain");
  expect(list?.kind === "list" && list.items.map(({ tick }) => tick)).toEqual(["done", "doing", "todo", undefined, undefined]);
  expect(JSON.stringify(list)).not.toContain("[x]");
});

test("nothing is lost and nothing hangs when marks never close", () => {
  const text = "*a ".repeat(2000) + ">".repeat(200) + "`".repeat(2000);
  const started = performance.now();
  expect(JSON.stringify(parseMarkdown(text))).toContain("*a");
  expect(performance.now() - started).toBeLessThan(1000);
});
