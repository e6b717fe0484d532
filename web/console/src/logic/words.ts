/** Which words of a changed line differ from the line that it replaces. */

import type { DiffLine } from "./diff";

/** Places in a line, in UTF-16 units, in order and without overlap. */
export type Ranges = readonly (readonly [from: number, to: number])[];

const WORD = /[\p{L}\p{N}_]+|\s+|./gu;
const LONGEST = 400;
const MOST_WORDS = 120;
/** Lines that share less than this are two lines, not one changed line. */
const LEAST_SHARED = 0.3;

/** What is different in each changed line that has a counterpart. */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, Ranges> {
  const ranges = new Map<DiffLine, Ranges>();
  for (let at = 0; at < lines.length; ) {
    const deleted = run(lines, at, "delete");
    const added = run(lines, at + deleted.length, "add");
    deleted.forEach((before, index) => {
      const after = added[index];
      const pair = after && differences(before.text, after.text);
      if (!after || !pair) return;
      ranges.set(before, pair[0]);
      ranges.set(after, pair[1]);
    });
    at += Math.max(1, deleted.length + added.length);
  }
  return ranges;
}

type Changed = DiffLine & { kind: "add" | "delete" };

function run(lines: readonly DiffLine[], from: number, kind: Changed["kind"]): Changed[] {
  let to = from;
  while (lines[to]?.kind === kind) to++;
  return lines.slice(from, to) as Changed[];
}

export function differences(before: string, after: string): [Ranges, Ranges] | null {
  if (before.length > LONGEST || after.length > LONGEST) return null;
  const [a, b] = [before.match(WORD) ?? [], after.match(WORD) ?? []];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return null;
  const common = longestCommon(a, b);
  const shared = common.reduce((sum, [at]) => sum + (a[at]!.trim() ? a[at]!.length : 0), 0);
  if (shared < LEAST_SHARED * Math.max(before.trim().length, after.trim().length)) return null;
  return [rangesOf(a, new Set(common.map(([at]) => at))), rangesOf(b, new Set(common.map(([, at]) => at)))];
}

/** Pairs of places whose words are equal and in the same order. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return pairs;
}

function rangesOf(words: readonly string[], unchanged: ReadonlySet<number>): Ranges {
  const ranges: [number, number][] = [];
  let place = 0;
  words.forEach((word, at) => {
    const last = ranges.at(-1);
    if (!unchanged.has(at)) {
      if (last && last[1] === place) last[1] = place + word.length;
      else ranges.push([place, place + word.length]);
    }
    place += word.length;
  });
  return ranges;
}
