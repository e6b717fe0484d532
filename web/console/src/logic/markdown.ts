/** Markdown as a tree of plain data. It knows no HTML, so none can be injected: tags stay text. */

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };

/** One of a list; of a checklist, with how far it is. */
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

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)\s*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+)(.*)$/;
const TICKED = /^\[([ xX~-])\]\s+(?=\S)/;
const TICKS: Record<string, Tick> = { " ": "todo", x: "done", X: "done", "~": "doing", "-": "doing" };
const TABLE_LINE = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$/;
const MAX_DEPTH = 8;

export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let at = 0;
  const line = (): string => lines[at] as string;

  while (at < lines.length) {
    const fence = FENCE.exec(line());
    const heading = HEADING.exec(line());
    const item = ITEM.exec(line());
    if (line().trim() === "") {
      at++;
    } else if (fence) {
      const body: string[] = [];
      const close = fence[1] as string;
      for (at++; at < lines.length && !line().trimStart().startsWith(close); at++) body.push(line());
      at++;
      blocks.push({ kind: "code", text: body.join("\n"), language: fence[2] ?? "" });
    } else if (heading) {
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, children: parseInline(heading[2] ?? "") });
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
    } else if (line().includes("|") && TABLE_LINE.test(lines[at + 1] ?? "")) {
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
      const body = [item[4] as string];
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
  return line.trim() === "" || line.startsWith(">") || [FENCE, HEADING, RULE, ITEM].some((form) => form.test(line));
}

function cells(line: string): Inline[][] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split("|").map((cell) => parseInline(cell.trim()));
}

/** Spans are bounded, so that marks that never close cost a bounded search each. */
const INLINE =
  /(?<code>`+)(?<body>[^`]|[^`][\s\S]{0,1000}?[^`])\k<code>(?!`)|!?\[(?<label>[^\]\n]*)\]\((?<href>[^()\s]+)\)|(?<mark>\*\*|__|~~|\*|_)(?=\S)(?<inner>[\s\S]{0,1000}?\S)\k<mark>|(?<url>https?:\/\/[^\s<>"'）。，]+)|\\(?<escaped>[\\`*_{}[\]()#+\-.!~|>])/u;

export function parseInline(text: string, depth = 0): Inline[] {
  const found: Inline[] = [];
  let rest = text;
  while (rest) {
    const match = depth < MAX_DEPTH ? INLINE.exec(rest) : null;
    if (!match?.groups) break;
    if (match.index) found.push({ kind: "text", text: rest.slice(0, match.index) });
    found.push(inlineOf(match[0], match.groups, depth));
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest) found.push({ kind: "text", text: rest });
  return found;
}

function inlineOf(whole: string, groups: Record<string, string | undefined>, depth: number): Inline {
  const { body, label, href, mark, inner, url, escaped } = groups;
  if (body !== undefined) return { kind: "code", text: body.trim() || body };
  if (escaped !== undefined) return { kind: "text", text: escaped };
  if (url !== undefined) return { kind: "link", href: url, children: [{ kind: "text", text: url }] };
  if (href !== undefined) {
    const children = parseInline(label || href, depth + 1);
    // javascript:, data: and the like are never made clickable; the person sees them as they were written.
    return /^https?:\/\//i.test(href) ? { kind: "link", href, children } : { kind: "text", text: whole };
  }
  const kind = mark === "~~" ? "del" : mark?.length === 2 ? "strong" : "em";
  return { kind, children: parseInline(inner ?? "", depth + 1) };
}
