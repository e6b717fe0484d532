/**
 * What a card shows, from an approval's data. Only handrail's own approvals have such data, whatever another program
 * writes.
 */

import type { Card, CardFact, FileChangePrompt, Grant, RequestEntry } from "@handrail/host";
import { actOf, SHORT_COMMAND, typedText, type Act } from "../../../logic/acts";
import type { CardTexts } from "../texts/card";

export function cardOf({ isOwn, prompt }: RequestEntry): Card | null {
  return isOwn === true && prompt.kind === "file_change_confirm" ? (prompt.card ?? null) : null;
}

/** The diff says whether a file is created or deleted. */
export function actOfCard(card: Card, { diff }: FileChangePrompt): Act {
  const act = actOf(card.tool);
  if (card.tool === "browser_action") return /^https?:/.test(card.object) ? "open" : "click";
  if (act !== "edit" || !diff || /^\d+$/.test(card.object)) return act;
  if (/^--- \/dev\/null$/m.test(diff)) return "create";
  return /^\+\+\+ \/dev\/null$/m.test(diff) ? "remove" : "edit";
}

/** A fact in the person's language; data is shown unchanged. */
export function factText({ name, code, value, of }: CardFact, t: CardTexts): string {
  const words = code === undefined ? undefined : t.phrases[code];
  // With several files, the file concerned comes first.
  if (words && name === "Runs code later" && value) return `${value}: ${words("")}`;
  const text = words ? words(value) : (t.values[of ?? name]?.(value) ?? value);
  return of === undefined ? text : `${labelOf(of, t)}: ${text}`;
}

/** Whether it reads as a sentence of ours, not as data. */
export const isSentence = ({ name, code, value }: CardFact, t: CardTexts): boolean => code !== undefined && code in t.phrases && (value === "" || name === "Not certain");

export function labelOf(name: string, t: CardTexts): string {
  const [, word = "", rest = ""] = /^(Field|new content of) (.*)$/.exec(name) ?? [];
  return word ? t.labelled[word as keyof CardTexts["labelled"]](rest) : (t.labels[name] ?? name);
}

/** The literal text, without the escapes of a pattern. */
export const unescaped = (pattern: string): string => pattern.replace(/\[([*?[{},])\]/g, "$1");

/** Whether a path can cover several files. */
export const isPattern = (path: string | undefined): boolean => path !== undefined && /[*?[{]/.test(path.replace(/\[[*?[{},]\]/g, ""));

/** What a grant lets an agent do: its tools' verbs, and where. */
export function coverage(grant: Grant, t: CardTexts): string {
  const verbs = verbsOf(grant, t);
  if (grant.path !== undefined) return t.covers.path(verbs, unescaped(grant.path));
  const acts = grant.tools.map(actOf);
  const only = new Set(acts).size === 1 ? acts[0] : undefined;
  if (grant.place !== undefined) return t.covers.place(verbs, grant.place, only);
  if (grant.app !== undefined) return t.covers.app(verbs, grant.app.split("@")[0]!, only);
  if (grant.command !== undefined) {
    const typed = typedText(grant.command);
    return typed === undefined ? t.covers.command(grant.command) : t.covers.input(typed);
  }
  if (grant.server !== undefined) return t.covers.server(grant.server);
  const [tool = "", ...others] = grant.tools;
  return (others.length === 0 && t.coversTool[tool]) || t.covers.tools(grant.tools.join(", "));
}

/** A permission's headline: "Delete all .md files". To edit and to read goes without saying. */
export function grantTitle(grant: Grant, t: CardTexts): string {
  if (grant.command !== undefined && grant.command.length > SHORT_COMMAND) return t.thisCommand;
  if (grant.path === undefined) return sentence(coverage(grant, t));
  const suffix = /^\*\*\/\*\.(\w+)$/.exec(grant.path)?.[1];
  const files = suffix ? t.kindOfFile(suffix) : unescaped(grant.path);
  const isPlain = grant.tools.every((tool) => ["edit", "read", "list", "search"].includes(actOf(tool)));
  return isPlain ? (suffix ? sentence(files) : files) : sentence(t.covers.path(verbsOf(grant, t), files));
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The verbs of its tools; the general one for tools without. */
function verbsOf({ tools, path }: Grant, t: CardTexts): string {
  const verbs = [...new Set(tools.map((tool) => t.verbs[actOf(tool)]))];
  if (verbs.includes(undefined)) return path === undefined ? t.act : t.verbs.edit!;
  return verbs.join(t.and);
}
