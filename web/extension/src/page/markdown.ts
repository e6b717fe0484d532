/** Turns an article's DOM into Markdown, which takes the fewest tokens. */

const SILENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "BUTTON", "SVG", "FORM"]);

interface Setting { indent: string; isPreformatted: boolean }

export function markdownOf(root: Node): string {
  const text = blocks(root, { indent: "", isPreformatted: false });
  return text.replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}

function blocks(parent: Node, setting: Setting): string {
  return [...parent.childNodes].map((child) => one(child, setting)).join("");
}

const inline = (element: Element, setting: Setting): string => blocks(element, setting).replace(/\s+/g, " ").trim();
const block = (text: string): string => (text.trim() ? `\n\n${text}\n\n` : "");

function one(node: Node, setting: Setting): string {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.nodeValue ?? "";
    return setting.isPreformatted ? text : escape(text.replace(/\s+/g, " "));
  }
  if (!(node instanceof Element) || SILENT.has(node.tagName.toUpperCase())) return "";
  return element(node, setting);
}

function element(node: Element, setting: Setting): string {
  const tag = node.tagName.toUpperCase();
  switch (tag) {
    case "H1": case "H2": case "H3": case "H4": case "H5": case "H6":
      return block(inline(node, setting) && `${"#".repeat(Number(tag[1]))} ${inline(node, setting)}`);
    case "P": case "FIGCAPTION": case "DT": case "ADDRESS": case "CAPTION": case "LEGEND": case "SUMMARY":
      return block(blocks(node, setting).trim());
    case "BR": return "\n";
    case "HR": return block("---");
    case "STRONG": case "B": return around("**", node, setting);
    case "EM": case "I": return around("_", node, setting);
    case "CODE": case "KBD": case "SAMP": return setting.isPreformatted ? (node.textContent ?? "") : code(node.textContent ?? "");
    case "PRE": return block(fenced(node));
    case "BLOCKQUOTE": return block(markdownOf(node).split("\n").map((line) => `> ${line}`.trimEnd()).join("\n"));
    case "UL": case "OL": return block(list(node, tag === "OL"));
    case "A": return link(node, setting);
    case "IMG": return picture(node);
    case "TABLE": return block(table(node, setting));
    case "DIV": case "SECTION": case "ARTICLE": case "MAIN": case "HEADER": case "FOOTER": case "ASIDE": case "NAV": case "FIGURE": case "DL": case "DD": case "DETAILS":
      return block(blocks(node, setting).trim());
    default: return blocks(node, setting);
  }
}

/** Escapes only what would change the meaning of a sentence. */
const escape = (text: string): string => text.replace(/([\\`*_[\]])/g, "\\$1").replace(/^(\s*)([#>+-]|\d+\.)(\s)/, "$1\\$2$3");

function around(mark: string, node: Element, setting: Setting): string {
  const text = inline(node, setting);
  const space = (at: boolean): string => (at ? " " : "");
  const raw = node.textContent ?? "";
  return text ? `${space(/^\s/.test(raw))}${mark}${text}${mark}${space(/\s$/.test(raw))}` : "";
}

function code(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return text ? `${fence}${fence.length > 1 ? " " : ""}${text}${fence.length > 1 ? " " : ""}${fence}` : "";
}

function fenced(node: Element): string {
  const language = /language-([\w+-]+)/.exec(node.querySelector("code")?.className ?? node.className)?.[1] ?? "";
  const text = (node.textContent ?? "").replace(/\n$/, "");
  const fence = text.includes("```") ? "````" : "```";
  return `${fence}${language}\n${text}\n${fence}`;
}

function list(node: Element, isOrdered: boolean): string {
  const first = Number(node.getAttribute("start") ?? 1);
  return [...node.children]
    .filter((child) => child.tagName.toUpperCase() === "LI")
    .map((item, at) => {
      const mark = isOrdered ? `${first + at}. ` : "- ";
      const lines = markdownOf(item).replace(/\n\n(?=\s*(?:-|\d+\.) )/g, "\n").split("\n");
      return mark + lines.map((line, n) => (n ? (line ? " ".repeat(mark.length) + line : "") : line)).join("\n");
    })
    .join("\n");
}

function link(node: Element, setting: Setting): string {
  const text = inline(node, setting);
  const href = node.getAttribute("href") ?? "";
  if (!text || !href || href.startsWith("javascript:") || href.startsWith("#")) return text;
  return `[${text}](${href.replace(/[()\s]/g, encodeURIComponent)})`;
}

function picture(node: Element): string {
  const source = node.getAttribute("src") ?? "";
  const alt = (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  // An inlined picture is bytes, not text.
  return alt ? `![${escape(alt)}](${source.startsWith("data:") ? "" : source.replace(/[()\s]/g, encodeURIComponent)})` : "";
}

function table(node: Element, setting: Setting): string {
  const rows = [...node.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => inline(cell, setting).replace(/\|/g, "\\|")));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  if (!columns) return "";
  const lines = rows.map((row) => `| ${Array.from({ length: columns }, (_, at) => row[at] ?? "").join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(columns)}`);
  return lines.join("\n");
}
