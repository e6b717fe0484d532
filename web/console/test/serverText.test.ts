import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { explained, translated } from "../src/logic/serverText";
import { sayingsZh } from "../src/texts/sayings.zh";

test("the variable parts of a sentence stay unchanged", () => {
  expect(translated("No such file or folder: 'a.js'.", sayingsZh)).toBe("没有这个文件或文件夹：'a.js'。");
  expect(translated("Not UTF-8 text: 'x' (byte 7).", sayingsZh)).toBe("不是 UTF-8 文本：'x'（第 7 字节）。");
  expect(translated("write_to_file was denied by terminal:root, prompt approval_1.", sayingsZh)).toBe("write_to_file 被拒绝。");
});

test("several sentences are translated one by one, if each is known", () => {
  expect(translated("There is no session bus, so no accessibility bus. There is no display.", sayingsZh)).toBe("没有会话总线，因此无法使用辅助功能。没有显示器。");
  expect(translated("There is no display. Something new.", sayingsZh)).toBe("There is no display. Something new.");
});

test("an unknown sentence is shown unchanged", () => {
  expect(translated("Something new happened.", sayingsZh)).toBe("Something new happened.");
  expect(translated("There is no display.", [])).toBe("There is no display.");
});

test("every translated sentence still exists in the server", () => {
  const source = execFileSync("grep", ["-rhF", "--include=*.py", '"', "../../src/handrail"], { encoding: "utf8", maxBuffer: 1 << 28 });
  const words = source.replaceAll(/\{[^{}"]*(?:\{[^{}]*\})?[^{}"]*\}/g, "{}");
  const lost = sayingsZh.map(([english]) => english).filter((english) => longestPiece(english).length > 4 && !words.includes(longestPiece(english)));
  expect(lost).toEqual([]);
});

/** What varies may be put in by other means than a format: the longest constant piece must be there. */
const longestPiece = (english: string): string => english.split("{}").reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "").replace(/^[, ]+| $/g, "");

test("an untranslated error is prefixed with the words for its kind", () => {
  expect(explained("The moon is full.", [], "冲突。")).toBe("冲突。 The moon is full.");
  expect(explained("There is no app x.", [["There is no app {}.", "没有应用 {}。"]], "冲突。")).toBe("没有应用 x。");
  expect(explained("The moon is full.", [])).toBe("The moon is full.");
});
