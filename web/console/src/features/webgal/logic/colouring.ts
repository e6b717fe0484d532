/** A line in pieces: what each is to the engine, and whether a problem is about it. */

import { visible } from "../../../logic/visible";
import type { Parts, Problem, Severity } from "./game";
import { mostSevere } from "./problems";

export type Piece = "command" | "speaker" | "mark" | "content" | "argument" | "remark";

export interface Token {
  text: string;
  piece: Piece;
  severity?: Severity;
}

const PAIR = /[\ud800-\udbff]/;

/** Converts code points, which the server counts, to UTF-16 units; they differ after a surrogate pair. */
export function unitsOf(text: string): (point: number) => number {
  if (!PAIR.test(text)) return (point) => Math.min(point, text.length);
  const starts: number[] = [];
  let unit = 0;
  for (const char of text) {
    starts.push(unit);
    unit += char.length;
  }
  return (point) => starts[point] ?? text.length;
}

export function tokensOf(text: string, [sort, head, content, end]: Parts, problems: readonly Problem[] = []): Token[] {
  const unit = unitsOf(text);
  const borders: [number, Piece][] =
    sort === "remark"
      ? [[text.length, "remark"]]
      : [
          [unit(head), sort === "speech" ? "speaker" : "command"],
          [head > 0 && text[unit(head)] === ":" ? unit(head) + 1 : unit(head), "mark"],
          [unit(content), "content"],
          [unit(end), "argument"],
          [Math.min(unit(end) + 1, text.length), "mark"],
          [text.length, "remark"],
        ];
  // A missing character has no place of its own, so the one before it is marked.
  const spans = problems.map((one) => ({ from: unit(one.end > one.start ? one.start : Math.max(0, one.start - 1)), to: unit(one.end), problem: one }));
  const cuts = [...new Set([...borders.map(([at]) => at), ...spans.flatMap(({ from, to }) => [from, to]), text.length])].sort((a, b) => a - b);
  const tokens: Token[] = [];
  let start = 0;
  for (const cut of cuts) {
    if (cut <= start) continue;
    const piece = borders.find(([at]) => start < at)?.[1] ?? "remark";
    const severity = mostSevere(spans.filter(({ from, to }) => from <= start && start < to).map(({ problem }) => problem));
    tokens.push({ text: text.slice(start, cut), piece, ...(severity ? { severity } : {}) });
    start = cut;
  }
  return tokens;
}

// Characters of double width in every monospaced font: CJK, kana, hangul, full-width forms and emoji.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/gu;

/** The number of columns of the widest line; only candidates for it are measured. */
export function widestOf(lines: readonly string[]): number {
  let widest = 0;
  for (const line of lines) {
    if (line.length * 2 <= widest) continue;
    const shown = visible(line);
    widest = Math.max(widest, shown.length + (shown.match(WIDE)?.length ?? 0));
  }
  return widest;
}
