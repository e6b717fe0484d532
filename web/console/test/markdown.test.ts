import { expect, test } from "vitest";
import { parseInline, type Inline } from "../src/logic/inline";
import { parseMarkdown } from "../src/logic/markdown";
import { pieces } from "../src/features/agent/logic/pieces";
import { checklist } from "../src/features/agent/logic/plan";

test("blocks are told apart", () => {
  const text = "# Title\n\ntext\nmore\n\n- a\n- b\n\n1. c\n\n> q\n\n```js\n<b>\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |";
  expect(parseMarkdown(text).map((block) => block.kind)).toEqual([
    "heading", "paragraph", "list", "list", "quote", "code", "rule", "table",
  ]);
});

test.each(["\r\n", "\r", "\u2028", "\u2029"])("lines that end with %j are lines", (end) => {
  const text = "# T\n- a\n- b\n\n```js\n1\n\n2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nlast\nwords";
  expect(parseMarkdown(text.replaceAll("\n", end))).toEqual(parseMarkdown(text));
});

test("HTML stays text", () => {
  const html = "<img src=x onerror=alert(1)>";
  expect(parseMarkdown(html)).toEqual([{ kind: "paragraph", children: [{ kind: "text", text: html }] }]);
});

test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "vbscript:x"])("%s is no link", (href) => {
  expect(parseInline(`[click](${href})`).every((part) => part.kind === "text")).toBe(true);
});

test("links, marks and code are recognised", () => {
  expect(parseInline("a **b** `c*d*` [e](https://f.example)")).toEqual([
    { kind: "text", text: "a " },
    { kind: "strong", children: [{ kind: "text", text: "b" }] },
    { kind: "text", text: " " },
    { kind: "code", text: "c*d*" },
    { kind: "text", text: " " },
    { kind: "link", href: "https://f.example", children: [{ kind: "text", text: "e" }] },
  ]);
});

test("checklist items have a state", () => {
  const [list] = parseMarkdown("- [x] read\n- [~] write\n- [ ] test\n- [link](https://a.example)\n- plain");
  expect(list?.kind === "list" && list.items.map(({ tick }) => tick)).toEqual(["done", "doing", "todo", undefined, undefined]);
  expect(JSON.stringify(list)).not.toContain("[x]");
});

const spelled = (parts: readonly Inline[]): string => parts.map((part) => ("text" in part ? part.text : spelled(part.children))).join("");
const kinds = (text: string): string[] => parseInline(text).map(({ kind }) => kind);

test.each(["my_file_name_here.txt", "x_1 and y_2", "__init__.py and __main__.py", "snake_case_", "_leading", "文件_名_字"])("%s keeps its underscores", (name) => {
  expect(spelled(parseInline(name))).toBe(name);
});

test("underscore marks work only around words", () => {
  expect(kinds("_a_ and __b__")).toEqual(["em", "text", "strong"]);
  expect(kinds("(_a b_)")).toEqual(["text", "em", "text"]);
});

test.each([
  ["see http://localhost:3000.", "http://localhost:3000"],
  ["(http://a.example/c),", "http://a.example/c"],
  ["http://a.example/x_(y)", "http://a.example/x_(y)"],
  ["_a http://localhost:3000/a_b_c b", "http://localhost:3000/a_b_c"],
  ["到 http://a.example/b。好", "http://a.example/b"],
  ['[t](http://x.example "title")', "http://x.example"],
  ["[z](http://x.example/y_(z))", "http://x.example/y_(z)"],
])("of %s the link is %s", (text, href) => {
  expect(parseInline(text).filter((part) => part.kind === "link").map((part) => part.kind === "link" && part.href)).toEqual([href]);
});

test("a bar in code or after a backslash doesn't end a cell", () => {
  const [table] = parseMarkdown("| a | b |\n|---|---|\n| `x|y` | c\\|d |");
  expect(table?.kind === "table" && table.rows.map((row) => row.map(spelled))).toEqual([["x|y", "c|d"]]);
});

test("a heading's closing marks aren't part of it", () => {
  expect(["# a ##", "## b #", "### c#", "# #"].map((text) => parseMarkdown(text)).map(([block]) => block?.kind === "heading" && spelled(block.children))).toEqual(["a", "b", "c#", ""]);
});

// Each of these took minutes where a search began anew at every place.
const MANY = 200_000;
test.each([
  ["blanks in a heading", `# a${" ".repeat(MANY)}x`], ["marks in a heading", `# a${"#".repeat(MANY)}x`], ["opened brackets", "[".repeat(MANY)],
  ["blanks below a table's head", `a|b\n${" ".repeat(MANY)}x`], ["bars", `a|b\n${"|".repeat(MANY)}x`], ["blanks after a fence", `\`\`\`${" ".repeat(MANY)}a b`],
  ["backquotes", `a${"`".repeat(MANY)}b`], ["stars", "*a ".repeat(MANY / 3)], ["underscores", "_a ".repeat(MANY / 3)], ["quotes", ">".repeat(MANY)], ["ticks", `- [x] a${" ".repeat(MANY)}x`],
  ["links that never close", "[a](b".repeat(MANY / 5)], ["addresses", "http://a".repeat(MANY / 8)],
  ["blanks before an item that a return ends", `- ${" ".repeat(MANY)}x\r`], ["blanks before an item of two lines", `- ${" ".repeat(MANY)}x\u2028y`], ["items of blanks", `- ${" ".repeat(MANY)}`],
])("%s cost time in proportion to their number", (_, text) => {
  parseMarkdown(text);
  pieces(text);
  checklist({ request: { requestId: "r" }, response: { ts: "1970-01-01T00:00:00Z", response: { tasks: [] } } } as never, [{ kind: "assistant", id: "a", at: 1, text }]);
}, 30_000);

test("unclosed marks lose no text", () => {
  const text = "*a ".repeat(2000) + ">".repeat(200) + "`".repeat(2000);
  expect(JSON.stringify(parseMarkdown(text))).toContain("*a");
});
