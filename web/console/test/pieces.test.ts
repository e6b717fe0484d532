import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../src/logic/markdown";
import { pieces } from "../src/features/agent/logic/pieces";

const lines = [
  "# Title", "", "A paragraph", "of two lines", "", "- one", "", "- two", "", "  still two", "", "After the list", "",
  "```js", "code", "", "more code", "```", "", "| a | b |", "|---|---|", "| 1 | 2 |", "", "> quoted", "> more", "", "1. first", "2. second", "", "The end.",
];
const text = lines.join("\n");

describe("pieces of Markdown", () => {
  it.each(["\n", "\r\n", "\r"])("make the same whole, read one by one, with lines that end with %j", (lineEnd) => {
    const ended = text.replaceAll("\n", lineEnd);
    expect(pieces(ended).join("")).toBe(ended);
    expect(pieces(ended).length).toBe(pieces(text).length);
    expect(pieces(ended).flatMap((piece) => parseMarkdown(piece))).toEqual(parseMarkdown(text));
  });

  it.each(["\n", "\r\n"])("stay as they are while the text grows by lines that end with %j", (lineEnd) => {
    const text = lines.join(lineEnd);
    for (let end = 1; end < text.length; end++) {
      const before = pieces(text.slice(0, end));
      expect(pieces(text.slice(0, end + 1)).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
  });

  it("don't split code blocks, closed or not", () => {
    expect(pieces("```\na\n\nb")).toEqual(["```\na\n\nb"]);
    expect(pieces("x\n\n~~~\na\n\nb\n~~~\n\ny")).toEqual(["x\n\n", "~~~\na\n\nb\n~~~\n\n", "y"]);
  });

  it("are empty for an empty text", () => {
    expect(pieces("")).toEqual([]);
  });
});
