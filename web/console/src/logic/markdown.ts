/** Markdown as a tree of plain data. It doesn't support HTML, so none can be injected: tags stay text. */

import { parseInline, type Inline } from "./inline";

/** A list item; in a checklist with its state. */
export interface Item {
  tick?: Tick;
  blocks: Block[];
}

export type Tick = "todo" | "doing" | "done";

export type Block =
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "code"; text: string; language: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; isOrdered: boolean; start: number; items: Item[] }
  | { kind: "table"; header: Inline[][]; rows: Inline[][][] }
  | { kind: "rule" };

/** Every character that `.` doesn't match, so none remains within a line. */
export const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

// The text is untrusted: each of these patterns takes linear time.
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+)(\S.*)?$/;
const TICKED = /^\[([ xX~-])\]\s+(?=\S)/;
const TICKS: Record<string, Tick> = { " ": "todo", x: "done", X: "done", "~": "doing", "-": "doing" };
const COLUMN = /^:?-+:?$/;
const MAX_DEPTH = 8;

interface Fence {
  mark: string;
  language: string;
}

/** The fence that opens a code block, or null. */
export function fenceOf(line: string): Fence | null {
  const [, mark, info = ""] = FENCE.exec(line) ?? [];
  const language = info.trim();
  return mark === undefined || /\s/.test(language) || (mark.startsWith("`") && language.includes("`")) ? null : { mark, language };
}

export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.split(LINE_END);
  const blocks: Block[] = [];
  let at = 0;
  const line = (): string => lines[at] as string;

  while (at < lines.length) {
    const fence = fenceOf(line());
    const heading = HEADING.exec(line());
    const item = ITEM.exec(line());
    if (line().trim() === "") {
      at++;
    } else if (fence) {
      const body: string[] = [];
      for (at++; at < lines.length && !line().trimStart().startsWith(fence.mark); at++) body.push(line());
      at++;
      blocks.push({ kind: "code", text: body.join("\n"), language: fence.language });
    } else if (heading) {
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, children: parseInline(withoutClosing(heading[2] ?? "")) });
      at++;
    } else if (RULE.test(line())) {
      blocks.push({ kind: "rule" });
      at++;
    } else if (depth < MAX_DEPTH && line().startsWith(">")) {
      const body: string[] = [];
      for (; at < lines.length && line().startsWith(">"); at++) body.push(line().replace(/^> ?/, ""));
      blocks.push({ kind: "quote", blocks: parseMarkdown(body.join("\n"), depth + 1) });
    } else if (depth < MAX_DEPTH && item) {
      blocks.push(readList());
    } else if (line().includes("|") && isColumns(lines[at + 1] ?? "")) {
      const header = cells(line());
      const rows: Inline[][][] = [];
      for (at += 2; at < lines.length && line().includes("|"); at++) rows.push(cells(line()));
      blocks.push({ kind: "table", header, rows });
    } else {
      const body = [line()];
      for (at++; at < lines.length && !startsBlock(line()); at++) body.push(line());
      blocks.push({ kind: "paragraph", children: parseInline(body.join("\n")) });
    }
  }
  return blocks;

  function readList(): Block {
    const first = ITEM.exec(line()) as RegExpExecArray;
    const isOrdered = /\d/.test(first[2] as string);
    const items: Item[] = [];
    while (at < lines.length) {
      const item = ITEM.exec(line());
      if (!item || /\d/.test(item[2] as string) !== isOrdered) break;
      const indent = (item[1] as string).length + (item[2] as string).length + 1;
      const body = [item[4] ?? ""];
      for (at++; at < lines.length; at++) {
        const isInside = line().startsWith(" ".repeat(Math.min(indent, 2))) || (line().trim() !== "" && !startsBlock(line()));
        const isBlankInside = line().trim() === "" && (lines[at + 1] ?? "").startsWith("  ");
        if (!isInside && !isBlankInside) break;
        body.push(line().replace(new RegExp(`^ {0,${indent}}`), ""));
      }
      while (at < lines.length && line().trim() === "" && ITEM.test(lines[at + 1] ?? "")) at++;
      const tick = TICKS[TICKED.exec(body[0] as string)?.[1] ?? ""];
      if (tick) body[0] = (body[0] as string).replace(TICKED, "");
      items.push({ blocks: parseMarkdown(body.join("\n"), depth + 1), ...(tick ? { tick } : {}) });
    }
    return { kind: "list", isOrdered, start: isOrdered ? Number.parseInt(first[2] as string, 10) : 1, items };
  }
}

function startsBlock(line: string): boolean {
  return line.trim() === "" || line.startsWith(">") || fenceOf(line) !== null || [HEADING, RULE, ITEM].some((form) => form.test(line));
}

/** `# Title ##` is "Title": trailing marks are removed. */
function withoutClosing(title: string): string {
  const trimmed = title.trim();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === "#") end--;
  return end === 0 ? "" : /\s/.test(trimmed[end - 1] as string) ? trimmed.slice(0, end).trimEnd() : trimmed;
}

/** Whether this is the line below a table's header. */
function isColumns(line: string): boolean {
  if (!line.includes("|")) return false;
  return cellTexts(line).every((cell) => COLUMN.test(cell));
}

const cells = (line: string): Inline[][] => cellTexts(line).map((cell) => parseInline(cell));

/** A bar in code or after a backslash doesn't end a cell. */
function cellTexts(line: string): string[] {
  const texts: string[] = [];
  let cell = "";
  let code = "";
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] as string;
    if (sign === "\\" && line[at + 1] === "|") {
      cell += "|";
      at++;
    } else if (sign === "`") {
      let run = "`";
      while (line[at + 1] === "`") [run, at] = [`${run}\``, at + 1];
      code = code === "" ? run : code === run ? "" : code;
      cell += run;
    } else if (sign === "|" && code === "") {
      texts.push(cell.trim());
      cell = "";
    } else {
      cell += sign;
    }
  }
  texts.push(cell.trim());
  if (texts[0] === "") texts.shift();
  if (texts.length > 1 && texts.at(-1) === "") texts.pop();
  return texts;
}
