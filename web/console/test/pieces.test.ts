import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../src/logic/markdown";
import { pieces } from "../src/logic/pieces";

const text = [
  "# Title", "", "A paragraph", "of two lines", "", "- one", "", "- two", "", "  still two", "", "After the list", "",
  "```js", "code", "", "more code", "```", "", "| a | b |", "|---|---|", "| 1 | 2 |", "", "> quoted", "> more", "", "1. first", "2. second", "", "The end.",
].join("\n");

describe("pieces of Markdown", () => {
  it("make the same whole, read one by one", () => {
    expect(pieces(text).join("")).toBe(text);
    expect(pieces(text).flatMap((piece) => parseMarkdown(piece))).toEqual(parseMarkdown(text));
  });

  it("stay as they are while the text grows", () => {
    for (let end = 1; end < text.length; end++) {
      const before = pieces(text.slice(0, end));
      expect(pieces(text.slice(0, end + 1)).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
  });

  it("leave code whole, closed or not", () => {
    expect(pieces("```\na\n\nb")).toEqual(["```\na\n\nb"]);
    expect(pieces("x\n\n~~~\na\n\nb\n~~~\n\ny")).toEqual(["x\n\n", "~~~\na\n\nb\n~~~\n\n", "y"]);
  });

  it("are none of nothing", () => {
    expect(pieces("")).toEqual([]);
  });
});
