import { describe, expect, it } from "vitest";
import { tokensOf, unitsOf, widestOf } from "../src/features/webgal/logic/colouring";
import { fileUrl, type Parts, type Problem, type Resource } from "../src/features/webgal/logic/game";
import { byLine, countsOf, filterProblems, mostSevere, hasSafeFix, listScenes, nextProblemLine } from "../src/features/webgal/logic/problems";
import { choicesOf, filterResources, formatSize } from "../src/features/webgal/logic/resources";
import { fitted, moved, revealing, zoomed } from "../src/features/webgal/logic/viewport";
import { blocksOf, scrollFor, windowOf } from "../src/features/webgal/logic/window";

const problem = (more: Partial<Problem> = {}): Problem => ({ path: "game/scene/start.txt", line: 1, code: "WG201", kind: "resource", message: "no such file", start: 0, end: 0, ...more });
const shown = (text: string, parts: Parts, problems: Problem[] = []): string[] => tokensOf(text, parts, problems).map((token) => `${token.piece}${token.severity ? `!${token.severity}` : ""}:${token.text}`);

describe("a line in colours", () => {
  it("has a head, content, arguments and what follows the semicolon", () => {
    expect(shown("changeBg:a.png -next; old", ["command", 8, 14, 20])).toEqual(["command:changeBg", "mark::", "content:a.png", "argument: -next", "mark:;", "remark: old"]);
  });
  it("tells a speaker from a command, and narration has neither", () => {
    expect(shown("Yuki:hi;", ["speech", 4, 7, 7])).toEqual(["speaker:Yuki", "mark::", "content:hi", "mark:;"]);
    expect(shown(":hi;", ["speech", 0, 3, 3])).toEqual(["content::hi", "mark:;"]);
    expect(shown("end;", ["command", 3, 3, 3])).toEqual(["command:end", "mark:;"]);
  });
  it("is a remark if there is no statement", () => {
    expect(shown("; later", ["remark", 0, 0, 0])).toEqual(["remark:; later"]);
    expect(shown("", ["remark", 0, 0, 0])).toEqual([]);
  });
  it("marks exactly the characters that a problem is about, the most severe first", () => {
    const about = [problem({ start: 9, end: 14 }), problem({ kind: "syntax", start: 12, end: 14 })];
    expect(shown("changeBg:a.png;", ["command", 8, 14, 14], about)).toEqual(["command:changeBg", "mark::", "content!resource:a.p", "content!syntax:ng", "mark:;"]);
  });
  it("counts as the server does, pairs of units as one character", () => {
    expect(unitsOf("😀a")(1)).toBe(2);
    expect(shown("😀:ab;", ["speech", 1, 4, 4], [problem({ start: 2, end: 3 })])).toEqual(["speaker:😀", "mark::", "content!resource:a", "content:b", "mark:;"]);
  });
  it("marks a missing character at the one before it", () => {
    expect(shown("a:b", ["speech", 1, 3, 3], [problem({ kind: "syntax", start: 3, end: 3 })])).toEqual(["speaker:a", "mark::", "content!syntax:b"]);
  });
  it("never goes beyond the line, whatever the positions are", () => {
    expect(tokensOf("ab", ["command", 9, 9, 9], [problem({ start: 1, end: 99 })]).map(({ text }) => text).join("")).toBe("ab");
  });
  it("is as wide as its letters, of which some are two columns", () => expect([widestOf(["abc", "雪乃:", "x"]), widestOf(["a\u202e"])]).toEqual([5, 9]));
});

describe("problems", () => {
  const some = [problem({ line: 9, kind: "style", code: "WG404" }), problem({ line: 2, kind: "syntax", fixHint: "x", isGuess: true }), problem({ line: 2 })];
  it("are counted and grouped by line, and the most severe gives a line its mark", () => {
    expect(countsOf(some)).toEqual({ syntax: 1, resource: 1, style: 1 });
    expect(byLine(some).get(2)).toHaveLength(2);
    expect(mostSevere(some)).toBe("syntax");
    expect(mostSevere([])).toBeUndefined();
  });
  it("are found by all words together, in path, rule and message, and by kind", () => {
    expect(filterProblems(some, "start WG404", new Set())).toHaveLength(1);
    expect(filterProblems(some, "", new Set(["syntax", "style"]))).toHaveLength(2);
  });
  it("are stepped through in both directions, wrapping around", () => {
    expect(nextProblemLine([9, 2], 2, 1)).toBe(9);
    expect(nextProblemLine([9, 2], 9, 1)).toBe(2);
    expect(nextProblemLine([9, 2], 2, -1)).toBe(9);
    expect(nextProblemLine([], 1, 1)).toBeUndefined();
  });
  it("that are all guesses have no safe fix", () => {
    expect(hasSafeFix(some)).toBe(false);
    expect(hasSafeFix([problem({ fixHint: "x" })])).toBe(true);
  });
  it("don't order the list of scenes: the entry is first, then names in natural order, the settings last", () => {
    const scene = (name: string) => ({ path: `game/scene/${name}`, name, lines: 1, isReachable: true });
    const scenes = [{ ...scene("config.txt"), path: "game/config.txt" }, scene("b10.txt"), scene("b9.txt"), scene("start.txt")];
    const names = (words: string, wanted: ReadonlySet<"syntax" | "style">) => listScenes(scenes, new Map([["game/scene/b9.txt", [problem({ kind: "style" })]]]), words, wanted, "game/scene/start.txt").map(({ name }) => name);
    expect(names("", new Set())).toEqual(["start.txt", "b9.txt", "b10.txt", "config.txt"]);
    expect(names("B1", new Set())).toEqual(["b10.txt"]);
    expect(names("", new Set(["style"]))).toEqual(["b9.txt"]);
  });
});

describe("a window over very many rows", () => {
  it("contains the visible rows and some more, at the ends too", () => {
    expect(windowOf(0, 400, 20, 50_000)).toEqual({ first: 0, last: 40 });
    expect(windowOf(500_000, 400, 20, 50_000)).toEqual({ first: 24_980, last: 25_040 });
    expect(windowOf(999_600, 400, 20, 50_000)).toEqual({ first: 49_960, last: 50_000 });
    expect(windowOf(5000, 400, 20, 3)).toEqual({ first: 3, last: 3 });
    expect(blocksOf({ first: 40, last: 63 })).toEqual([40, 50, 60]);
  });
  it("moves only for a row that is not visible", () => {
    expect(scrollFor(10, 0, 400, 20)).toBeUndefined();
    expect(scrollFor(0, 400, 400, 20)).toBe(0);
    expect(scrollFor(100, 0, 400, 20)).toBe(1680);
  });
});

describe("the viewport of a picture", () => {
  it("shows all of it in the middle", () => expect(fitted({ width: 200, height: 100 }, { width: 100, height: 100 })).toEqual({ scale: 0.5, x: 0, y: 25 }));
  it("keeps the point under the pointer when it is zoomed", () => expect(zoomed({ x: 0, y: 0, scale: 1 }, 2, { x: 10, y: 20 })).toEqual({ scale: 2, x: -10, y: -20 }));
  it("has a smallest and a largest scale", () => {
    expect(zoomed({ x: 0, y: 0, scale: 1 }, 1e9, { x: 0, y: 0 }).scale).toBe(4);
    expect(zoomed({ x: 0, y: 0, scale: 1 }, 1e-9, { x: 0, y: 0 }).scale).toBe(0.08);
  });
  it("moves just far enough to show the focused element", () => {
    const room = { width: 100, height: 100 };
    expect(revealing({ x: 0, y: 0, scale: 1 }, { x: 20, y: 20, width: 20, height: 20 }, room)).toEqual({ x: 0, y: 0, scale: 1 });
    expect(revealing({ x: 0, y: 0, scale: 1 }, { x: 150, y: 0, width: 20, height: 20 }, room)).toEqual({ x: -78, y: 8, scale: 1 });
  });
  it("is moved by hand", () => expect(moved({ x: 1, y: 2, scale: 3 }, 4, 5)).toEqual({ x: 5, y: 7, scale: 3 }));
});

describe("a game's files", () => {
  const file = (path: string, more: Partial<Resource> = {}): Resource => ({ path, folder: "background", name: path, kind: "image", size: 1, version: "1", uses: [], isUnused: false, ...more });
  const files = [file("a.png"), file("b.mp3", { kind: "audio" }), file("c.png", { isUnused: true })];
  it("can be filtered by the kinds that exist", () => expect(choicesOf(files, 2)).toEqual([["all", 3], ["image", 2], ["audio", 1], ["unused", 1], ["missing", 2]]));
  it("are found by kind, use and name", () => {
    expect(filterResources(files, "", "unused").map(({ path }) => path)).toEqual(["c.png"]);
    expect(filterResources(files, "B.", "all").map(({ path }) => path)).toEqual(["b.mp3"]);
  });
  it("have addresses for every name", () => expect(fileUrl({ path: "game/bgm/100% \"a\"#😀.mp3", version: "f" })).toBe("/api/webgal/file?path=game%2Fbgm%2F100%25%20%22a%22%23%F0%9F%98%80.mp3&v=f"));
  it("have sizes that people read", () => expect([1, 2048, 204800, 3 << 20].map(formatSize)).toEqual(["1 B", "2.0 KB", "200 KB", "3.0 MB"]));
});
