/** A tool's arguments for people: the one that says what the call is about, and all of them. */

const TELLING = ["path", "url", "query", "command", "script", "text", "pattern", "name", "title", "app", "tool", "selector", "result", "question"];

/** Models write JSON, well-formed or not. */
export function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** One line; empty if no argument is telling. */
export function hintOf(value: unknown): string {
  const parsed = readArguments(value);
  if (typeof parsed !== "object" || parsed === null) return "";
  const members = parsed as Record<string, unknown>;
  const hint = TELLING.map((name) => members[name]).find((value) => typeof value === "string" && value !== "");
  const any = hint ?? Object.entries(members).find(([name, value]) => typeof value === "string" && value !== "" && !/(^id|_id|Id)$/.test(name))?.[1];
  return typeof any === "string" ? (any.split("\n")[0] ?? "").slice(0, 160) : "";
}

/** What a call is about and where: the audit knows one, the model's own words the other. Nothing that its name already says. */
export function hintBeside(name: string, value: unknown, target = ""): string {
  const [said, place] = [hintOf(value), target].map((text) => (name.startsWith(text) ? "" : text)) as [string, string];
  return said && place && !said.includes(place) && !place.includes(said) ? `${said} · ${place}` : place.length > said.length ? place : said;
}

export function argumentsText(value: unknown): string {
  const parsed = readArguments(value);
  if (parsed === undefined || parsed === null) return "";
  if (typeof parsed === "object" && Object.keys(parsed).length === 0) return "";
  return typeof parsed === "string" ? parsed : JSON.stringify(parsed, null, 2);
}
