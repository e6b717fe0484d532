/** Colours for a line of code: comments, strings, numbers and keywords; enough to read a diff. */

export type SyntaxClass = "note" | "text" | "number" | "word";
export interface Coloured {
  from: number;
  to: number;
  as: SyntaxClass;
}

const LONGEST = 400;
const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const SCRIPT = words("abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of package private protected public readonly return set static super switch this throw true try type typeof undefined var void while yield");
const PYTHON = words("and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield");
const SYSTEMS = words("auto bool break case char class const constexpr continue crate default defer delete do double else enum extern false final fn float fn for func go goto if impl import in include inline int interface let long loop match mod mut namespace new nil null nullptr package private protected pub public return self short signed sizeof static struct super switch template this throw throws trait true try type typedef union unsafe unsigned use using var virtual void volatile where while");
const SHELL = words("case do done elif else esac exit export fi for function if in local return set then unset until while");
const NONE: ReadonlySet<string> = new Set();

const HASH = /#.*/y;
const SLASHES = /\/\/.*|\/\*.*?(?:\*\/|$)/y;
const DASHES = /--.*/y;
const MARKUP = /<!--.*?(?:-->|$)/y;
const TEXT = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?/y;
const NUMBER = /(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)/iy;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;

interface Language {
  note: RegExp;
  words: ReadonlySet<string>;
}

const LANGUAGES: Record<string, Language> = {};
const add = (suffixes: string, note: RegExp, own: ReadonlySet<string>): void => suffixes.split(" ").forEach((suffix) => (LANGUAGES[suffix] = { note, words: own }));
add("js mjs cjs jsx ts tsx mts cts vue svelte", SLASHES, SCRIPT);
add("py pyi", HASH, PYTHON);
add("c h cc cpp hpp cs go java kt rs swift zig php", SLASHES, SYSTEMS);
add("sh bash zsh fish rb pl toml yml yaml ini conf dockerfile makefile mk", HASH, SHELL);
add("css scss less json jsonc", SLASHES, words("true false null"));
add("sql lua", DASHES, words("select from where insert into values update set delete create table index join left right inner on and or not null as order by group limit local function end then"));
add("html htm xml svg", MARKUP, NONE);

/** By file name; null for files without colours, such as prose. */
export function languageOf(path: string): Language | null {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  return LANGUAGES[name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : name] ?? null;
}

export function colourLine(line: string, language: Language): Coloured[] {
  if (line.length > LONGEST) return [];
  const pieces: Coloured[] = [];
  for (let at = 0; at < line.length; ) {
    const note = take(language.note, line, at);
    const text = note || take(TEXT, line, at);
    const name = text || take(NAME, line, at);
    const number = name || take(NUMBER, line, at);
    if (note) pieces.push({ from: at, to: at + note, as: "note" });
    else if (text) pieces.push({ from: at, to: at + text, as: "text" });
    else if (name && language.words.has(line.slice(at, at + name))) pieces.push({ from: at, to: at + name, as: "word" });
    else if (!name && number) pieces.push({ from: at, to: at + number, as: "number" });
    at += number || (line.codePointAt(at)! > 0xffff ? 2 : 1);
  }
  return pieces;
}

function take(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0].length ?? 0;
}
