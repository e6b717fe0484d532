/** A unified diff as rows: parsed by the counts in its hunk headers, folded, and split side by side. */

export type DiffLine =
  | { kind: "context"; old: number; new: number; text: string }
  /** Without a number if the diff doesn't say where it is. */
  | { kind: "add"; new?: number; text: string }
  | { kind: "delete"; old?: number; text: string }
  /** Anything else, shown unchanged: file headers, "\ No newline", lines outside of hunks. */
  | { kind: "note"; text: string }
  /** One of several files of the diff, in one row instead of two lines. */
  | { kind: "file"; path: string; isNew: boolean; isDeleted: boolean }
  /** Lines between two hunks, which the diff doesn't contain. */
  | { kind: "gap"; count: number };

export interface ParsedDiff {
  lines: DiffLine[];
  added: number;
  deleted: number;
  /** The number of digits of the longest line number. */
  digits: number;
}

/** A hunk that doesn't say where it is: programs edit files in their own way. */
const PLACELESS = /^@@(?! -\d)/;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

export function parseDiff(text: string): ParsedDiff {
  const parsed: ParsedDiff = { lines: [], added: 0, deleted: 0, digits: 1 };
  const source = text.split("\n");
  if (source.at(-1) === "") source.pop();
  let oldLine = 0;
  let newLine = 0;
  let oldLeft = 0;
  let newLeft = 0;
  let isFirstHunk = true;
  let isPlaceless = false;
  const note = (line: string): void => void parsed.lines.push({ kind: "note", text: line });

  for (const [at, line] of source.entries()) {
    // The counts decide what belongs to a hunk: a deleted "-- x" must not be taken for a file header.
    if (oldLeft > 0 || newLeft > 0) {
      const mark = line[0];
      const rest = line.slice(1);
      if (mark === "+" && newLeft > 0) {
        parsed.lines.push({ kind: "add", new: newLine++, text: rest });
        newLeft--;
        parsed.added++;
        continue;
      }
      if (mark === "-" && oldLeft > 0) {
        parsed.lines.push({ kind: "delete", old: oldLine++, text: rest });
        oldLeft--;
        parsed.deleted++;
        continue;
      }
      // Some programs drop the space of an empty context line.
      if ((mark === " " || line === "") && oldLeft > 0 && newLeft > 0) {
        parsed.lines.push({ kind: "context", old: oldLine++, new: newLine++, text: rest });
        oldLeft--;
        newLeft--;
        continue;
      }
      if (mark !== "\\") oldLeft = newLeft = 0;
    }
    const hunk = HUNK.exec(line);
    isPlaceless = hunk === null && (PLACELESS.test(line) || (isPlaceless && /^[-+ ]/.test(line) && !(line.startsWith("--- ") && source[at + 1]?.startsWith("+++ "))));
    if (isPlaceless && line.startsWith("+")) {
      parsed.lines.push({ kind: "add", text: line.slice(1) });
      parsed.added++;
    } else if (isPlaceless && line.startsWith("-")) {
      parsed.lines.push({ kind: "delete", text: line.slice(1) });
      parsed.deleted++;
    } else if (!hunk) {
      if (line.startsWith("--- ")) isFirstHunk = true;
      note(line === "@@ … @@" ? "⋯" : line);
    }
    if (!hunk) continue;
    oldLeft = hunk[2] === undefined ? 1 : Number(hunk[2]);
    newLeft = hunk[4] === undefined ? 1 : Number(hunk[4]);
    // A side without lines names the line before it.
    const oldStart = Number(hunk[1]) + (oldLeft === 0 ? 1 : 0);
    const newStart = Number(hunk[3]) + (newLeft === 0 ? 1 : 0);
    const skipped = isFirstHunk ? newStart - 1 : newStart - newLine;
    if (skipped > 0) parsed.lines.push({ kind: "gap", count: skipped });
    if (hunk[5]?.trim()) note(hunk[5].trim());
    isFirstHunk = false;
    oldLine = oldStart;
    newLine = newStart;
    parsed.digits = Math.max(parsed.digits, String(Math.max(oldLine + oldLeft, newLine + newLeft)).length);
  }
  return parsed;
}

const NOTHING = "/dev/null";

/**
 * Merges the two lines that name a file into one row; a single file is named in the view's header. Renamed files keep
 * both lines.
 */
export function withFileHeads(lines: readonly DiffLine[]): { lines: DiffLine[]; files: string[] } {
  const files: string[] = [];
  const rows: DiffLine[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const head = fileHead(line, lines[at + 1]);
    rows.push(head ?? line);
    if (head) {
      files.push(head.path);
      at++;
    }
  }
  const isOnlyOne = files.length === 1 && !rows.some((line) => line.kind === "note" && /^(?:---|\+\+\+) /.test(line.text));
  return { lines: isOnlyOne ? rows.filter(({ kind }) => kind !== "file") : rows, files };
}

function fileHead(first: DiffLine, second: DiffLine | undefined): Extract<DiffLine, { kind: "file" }> | null {
  if (first.kind !== "note" || second?.kind !== "note" || !first.text.startsWith("--- ") || !second.text.startsWith("+++ ")) return null;
  const [before, after] = [first.text.replace(/^--- (?:a\/)?/, ""), second.text.replace(/^\+\+\+ (?:b\/)?/, "")];
  const [isNew, isDeleted] = [before === NOTHING, after === NOTHING];
  return before === after || isNew || isDeleted ? { kind: "file", path: isDeleted ? before : after, isNew, isDeleted } : null;
}

export interface Fold {
  kind: "fold";
  /** Stable while the diff stays the same: where its lines start. */
  id: number;
  lines: DiffLine[];
}

const KEPT_BESIDE_CHANGES = 3;
const SHORTEST_FOLD = 4;

/** Long unchanged stretches become one row that can be opened. */
export function foldDiff(lines: DiffLine[], opened: ReadonlySet<number>): (DiffLine | Fold)[] {
  const rows: (DiffLine | Fold)[] = [];
  let start = 0;
  while (start < lines.length) {
    let end = start;
    while (lines[end]?.kind === "context") end++;
    if (end === start) {
      rows.push(lines[start] as DiffLine);
      start++;
      continue;
    }
    const head = rows.length === 0 ? 0 : KEPT_BESIDE_CHANGES;
    const tail = end === lines.length ? 0 : KEPT_BESIDE_CHANGES;
    if (end - start - head - tail < SHORTEST_FOLD || opened.has(start)) {
      rows.push(...lines.slice(start, end));
    } else {
      rows.push(...lines.slice(start, start + head));
      rows.push({ kind: "fold", id: start, lines: lines.slice(start + head, end - tail) });
      rows.push(...lines.slice(end - tail, end));
    }
    start = end;
  }
  return rows;
}

export type SplitRow =
  | { kind: "pair"; left: DiffLine | undefined; right: DiffLine | undefined }
  | { kind: "whole"; row: DiffLine | Fold };

/** Deleted lines on the left face the added lines that follow them. */
export function splitRows(rows: (DiffLine | Fold)[]): SplitRow[] {
  const split: SplitRow[] = [];
  let deleted: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(deleted.length, added.length); at++) {
      split.push({ kind: "pair", left: deleted[at], right: added[at] });
    }
    deleted = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === "delete") {
      if (added.length) flush();
      deleted.push(row);
    } else if (row.kind === "add") {
      added.push(row);
    } else {
      flush();
      split.push(row.kind === "context" ? { kind: "pair", left: row, right: row } : { kind: "whole", row });
    }
  }
  flush();
  return split;
}
