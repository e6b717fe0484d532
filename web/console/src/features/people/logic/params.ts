/**
 * A call's parameters as a person reads them. Details has them all: what only steers the call, and what the headline,
 * the facts and the picture say.
 */

import type { Card, CardFact } from "@handrail/host";
import { actOf, type Act } from "../../../logic/acts";
import type { CardTexts } from "../texts/card";

/** The headline and the facts say all of what these are called with. */
const SAID: readonly Act[] = ["read", "connect", "publish", "agent", "switchTab", "closeTab"];
const IN_HEADLINE: Partial<Record<Act, readonly string[]>> = {
  press: ["key", "keys"], menu: ["path"], launch: ["app"], clipboard: ["action"], arrange: ["action"], point: ["gesture"], use: ["tool", "isHarmless"], group: ["title"],
};
/** The headline and the picture name the element. */
const STEERING: readonly string[] = ["timeoutMs", "tabId", "clickId", "xpath", "target", "route", "delayMs"];
const USUAL: Readonly<Record<string, string>> = {
  submit: "false", append: "false", clearBefore: "false", reuseExistingTab: "false", recursive: "false", button: "left", count: "1", clicks: "1", down: "0", right: "0",
};
/** Objects whose members are parameters of their own. */
const NESTED: readonly string[] = ["options", "arguments", "input"];

export function shownParams({ tool, params }: Card, t: CardTexts): CardFact[] {
  const act = actOf(tool);
  if (SAID.includes(act)) return [];
  // What an app or a server is given is named by it, and shown whole.
  if (act === "call") return givenTo(tool, params).flatMap(members);
  const isSaid = ({ name, value }: CardFact): boolean => STEERING.includes(name) || USUAL[name] === value || (IN_HEADLINE[act]?.includes(name) ?? false);
  const isPlain = act !== "use";
  return params.flatMap(members).filter((param) => !isSaid(param)).map((param) => (isPlain ? { ...param, name: t.params[param.name] ?? param.name, value: listed(param.value) } : param));
}

function givenTo(tool: string, params: readonly CardFact[]): CardFact[] {
  const prefix = tool === "apps_call" ? "params." : "arguments.";
  const given = params.filter(({ name }) => name.startsWith(prefix)).map((param) => ({ ...param, name: param.name.slice(prefix.length) }));
  return tool === "native_mcp" ? given.filter(({ name }) => name !== "server" && name !== "tool") : given;
}

function members(param: CardFact): CardFact[] {
  const value = NESTED.includes(param.name) ? parsed(param.value) : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [param];
  return Object.entries(value).map(([name, member]) => ({ ...param, name, value: typeof member === "string" ? member : JSON.stringify(member) }));
}

/** A list of words as words, a list of objects as a line for each; anything else unchanged. */
function listed(value: string): string {
  const list = parsed(value);
  if (!Array.isArray(list) || list.length === 0) return value;
  if (list.every((word) => typeof word === "string")) return list.join(", ");
  const isFlat = list.every((one) => typeof one === "object" && one !== null && Object.values(one).every((member) => typeof member !== "object"));
  return isFlat ? list.map((one: object) => Object.values(one).join(": ")).join("\n") : value;
}

function parsed(value: string): unknown {
  try {
    return /^[[{]/.test(value) ? JSON.parse(value) : undefined;
  } catch {
    return undefined;
  }
}
