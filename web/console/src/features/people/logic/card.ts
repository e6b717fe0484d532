/**
 * What a card shows, from an approval's data. Only handrail's own approvals have such data, whatever another program
 * writes.
 */

import type { Card, CardFact, FileChangePrompt, Grant, RequestEntry } from "@handrail/host";
import { actOf, typedText, type Act } from "../../../logic/acts";
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

export function labelOf(name: string, t: CardTexts): string {
  const [, word = "", rest = ""] = /^(Field|new content of) (.*)$/.exec(name) ?? [];
  return word ? t.labelled[word as keyof CardTexts["labelled"]](rest) : (t.labels[name] ?? name);
}

/** The literal text, without the escapes of a pattern. */
export const unescaped = (pattern: string): string => pattern.replace(/\[([*?[{},])\]/g, "$1");

/** What a grant lets an agent do. */
export function coverage(grant: Grant, t: CardTexts): string {
  if (grant.path !== undefined) return t.covers[actOnPath(grant.tools)](unescaped(grant.path));
  if (grant.place !== undefined) return t.covers.place(grant.place);
  if (grant.app !== undefined) return t.covers.app(grant.app.split("@")[0]!);
  if (grant.command !== undefined) {
    const typed = typedText(grant.command);
    return typed === undefined ? t.covers.command(grant.command) : t.covers.input(typed);
  }
  if (grant.server !== undefined) return t.covers.server(grant.server);
  const [tool = "", ...others] = grant.tools;
  return (others.length === 0 && t.coversTool[tool]) || t.covers.tools(grant.tools.join(", "));
}

const READING: readonly Act[] = ["read", "list", "search", "look"];

function actOnPath(tools: readonly string[]): "edit" | "read" | "upload" {
  const acts = tools.map(actOf);
  if (acts.every((act) => READING.includes(act))) return "read";
  return acts.every((act) => act === "upload") ? "upload" : "edit";
}

/** The headline and the facts say all of what these are called with; the raw parameters are under Details. */
const SAID: readonly Act[] = ["read", "connect", "publish", "agent", "switchTab", "closeTab"];

/** The parameters that a person reads: of a call to an app or a server, what it is given. */
export function shownParams({ tool, params }: Card): CardFact[] {
  const act = actOf(tool);
  if (SAID.includes(act)) return [];
  const prefix = tool === "apps_call" ? "params." : act === "call" ? "arguments." : "";
  const given = params.filter(({ name }) => name.startsWith(prefix)).map((param) => ({ ...param, name: param.name.slice(prefix.length) }));
  return tool === "native_mcp" ? given.filter(({ name }) => name !== "server" && name !== "tool") : given;
}
