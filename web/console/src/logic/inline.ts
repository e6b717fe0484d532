/** Inline Markdown: code, links, marks. Everything else is text, and nothing is lost. */

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };

const MAX_DEPTH = 8;

// Spans are bounded, so that unclosed marks can't cause long searches. `_` inside a word is part of a name.
const CODE = "(?<!`)(?<code>`{1,20})(?!`)(?<body>[^`]|[^`][\\s\\S]{0,500}?[^`])\\k<code>(?!`)";
const ESCAPED = "\\\\(?<escaped>[\\\\`*_{}[\\]()#+\\-.!~|>])";
const LINK = '!?\\[(?<label>[^\\]\\n]{0,500})\\]\\((?<href>(?:[^()\\s]|\\([^()\\s]{0,300}\\)){1,2000})(?:\\s"[^"\\n]{0,300}")?\\)';
const URL = "(?<![\\p{L}\\p{N}])(?<url>https?:\\/\\/[^\\s<>\"'`|（）。，、；：！？「」『』【】]+)";
const MARKS = "(?<mark>\\*\\*|~~|\\*)(?=\\S)(?<inner>[\\s\\S]{0,500}?\\S)\\k<mark>";
const LOW_MARKS = "(?<![\\p{L}\\p{N}_])(?<low>__|_)(?=[^\\s_])(?<lowInner>[\\s\\S]{0,500}?\\S)\\k<low>(?![\\p{L}\\p{N}_]|\\.[\\p{L}\\p{N}])";
const INLINE = new RegExp([CODE, ESCAPED, LINK, URL, MARKS, LOW_MARKS].join("|"), "gu");

export function parseInline(text: string, depth = 0): Inline[] {
  const parts: Inline[] = [];
  const find = new RegExp(INLINE);
  let at = 0;
  while (depth < MAX_DEPTH) {
    find.lastIndex = at;
    const match = find.exec(text);
    if (!match?.groups) break;
    if (match.index > at) parts.push({ kind: "text", text: text.slice(at, match.index) });
    const whole = match.groups.url === undefined ? match[0] : withoutEnd(match[0]);
    parts.push(inlineOf(whole, match.groups, depth));
    at = match.index + whole.length;
  }
  if (at < text.length) parts.push({ kind: "text", text: text.slice(at) });
  return parts;
}

function inlineOf(whole: string, groups: Record<string, string | undefined>, depth: number): Inline {
  const { body, label, href, url, escaped, mark = groups.low, inner = groups.lowInner } = groups;
  if (body !== undefined) return { kind: "code", text: body.trim() || body };
  if (escaped !== undefined) return { kind: "text", text: escaped };
  if (url !== undefined) return { kind: "link", href: whole, children: [{ kind: "text", text: whole }] };
  if (href !== undefined) {
    const children = parseInline(label || href, depth + 1);
    // javascript:, data: and similar addresses are never clickable; the person sees the source text.
    return /^https?:\/\//i.test(href) ? { kind: "link", href, children } : { kind: "text", text: whole };
  }
  const kind = mark === "~~" ? "del" : mark?.length === 2 ? "strong" : "em";
  return { kind, children: parseInline(inner ?? "", depth + 1) };
}

/** Punctuation at the end isn't part of an address; a closing bracket is, if it was opened in the address. */
function withoutEnd(url: string): string {
  let [open, closed] = [0, 0];
  for (const sign of url) {
    if (sign === "(") open++;
    if (sign === ")") closed++;
  }
  let end = url.length;
  for (; end > 0; end--) {
    const sign = url[end - 1] as string;
    if (sign === ")" && closed > open) closed--;
    else if (!".,;:!?]*_~".includes(sign)) break;
  }
  return url.slice(0, end);
}
