/** The colours of a scene, by the library that VS Code colours with. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import oniguruma from "vscode-oniguruma";
import textmate, { type IGrammar } from "vscode-textmate";
import { beforeAll, describe, expect, it } from "vitest";

const here = new URL("..", import.meta.url);
let grammar: IGrammar;

beforeAll(async () => {
  const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(await readFile(wasm));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      textmate.parseRawGrammar(await readFile(new URL("syntaxes/webgal.tmLanguage.json", here), "utf8"), "g.json"),
  });
  grammar = (await registry.loadGrammar("source.webgal"))!;
});

/** `text|scope` of each piece that has a colour; each line starts anew, as in a scene. */
function coloured(line: string): string[] {
  return grammar
    .tokenizeLine(line, null)
    .tokens.map(({ startIndex, endIndex, scopes }) => [line.slice(startIndex, endIndex), scopes.at(-1)!] as const)
    .filter(([text, scope]) => text.trim() && scope !== "source.webgal")
    .map(([text, scope]) => `${text.trim()}|${scope.replace(/\.webgal$/, "")}`);
}

describe("the grammar", () => {
  it("distinguishes commands, files, arguments and remarks", () => {
    expect(coloured("changeBg:a b.jpg -next -duration=500; night")).toEqual([
      "changeBg|keyword.control", ":|punctuation.separator", "a b.jpg|string.unquoted",
      "-|punctuation.definition.argument", "next|entity.other.attribute-name",
      "-|punctuation.definition.argument", "duration|entity.other.attribute-name",
      "=|keyword.operator.assignment", "500|constant.numeric", ";|punctuation.terminator", "night|comment.line",
    ]);
    expect(coloured("; remark")).toEqual(["; remark|comment.line.semicolon"]);
    expect(coloured("end;")).toEqual(["end|keyword.control", ";|punctuation.terminator"]);
  });

  it("treats everything else before a colon as a speaker, as the engine does", () => {
    for (const name of ["雪乃", "changebg", " changeBg", "unknown", "if"])
      expect(coloured(`${name}:你好;`)[0]).toBe(`${name.trim()}|entity.name.type.speaker`);
    expect(coloured("你好;")).toEqual([";|punctuation.terminator"]);
  });

  it("shows variables, escapes and ruby in text", () => {
    expect(coloured("雪乃:{love}\\;[你](ni)|好 -v1.wav;").slice(2)).toEqual([
      "{|punctuation.section.interpolation", "love|variable.other", "}|punctuation.section.interpolation",
      "\\;|constant.character.escape", "[|punctuation.definition.ruby", "你|markup.bold", "](|punctuation.definition.ruby",
      "ni|string.other.ruby", ")|punctuation.definition.ruby", "||keyword.operator.break",
      "-|punctuation.definition.argument", "v1.wav|entity.other.attribute-name", ";|punctuation.terminator",
    ]);
  });

  it("shows labels, choices, conditions and assignments", () => {
    expect(coloured("jumpLabel:家 -when=a>1;")).toEqual([
      "jumpLabel|keyword.control", ":|punctuation.separator", "家|entity.name.function.label",
      "-|punctuation.definition.argument", "when|entity.other.attribute-name", "=|keyword.operator.assignment",
      "a|variable.other", ">|keyword.operator", "1|constant.numeric", ";|punctuation.terminator",
    ]);
    const choice = coloured("choose:走:away|(a>1)->留:b.txt;");
    expect(choice).toContain("away|entity.name.function.label");
    expect(choice).toContain("b.txt|entity.name.function.label");
    expect(choice).toContain("a|variable.other");
    expect(coloured("setVar:a=b+1;").slice(2)).toEqual([
      "a|variable.other", "=|keyword.operator.assignment", "b|variable.other", "+|keyword.operator",
      "1|constant.numeric", ";|punctuation.terminator",
    ]);
  });

  it("shows JSON", () => {
    const keys = coloured('setTransform:{"position":{"x":1}} -target=fig-left;');
    expect(keys).toContain('"position"|support.type.property-name');
    expect(keys).toContain("fig-left|string.unquoted");
  });
});
