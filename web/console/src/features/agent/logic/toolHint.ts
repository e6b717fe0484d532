/** Arguments of a tool as people read them: the one that says what it is about, and all of them. */

const TELLING = ["path", "url", "query", "command", "script", "text", "pattern", "name", "title", "app", "tool", "selector", "result", "question"];

/** Models write JSON, well-formed or not. */
export function readArguments(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

/** One line; empty where nothing in it says anything. */
export function hintOf(given: unknown): string {
  const read = readArguments(given);
  if (typeof read !== "object" || read === null) return "";
  const members = read as Record<string, unknown>;
  const told = TELLING.map((name) => members[name]).find((value) => typeof value === "string" && value !== "");
  const any = told ?? Object.values(members).find((value) => typeof value === "string" && value !== "");
  return typeof any === "string" ? (any.split("\n")[0] ?? "").slice(0, 160) : "";
}

export function argumentsText(given: unknown): string {
  const read = readArguments(given);
  if (read === undefined || read === null) return "";
  if (typeof read === "object" && Object.keys(read).length === 0) return "";
  return typeof read === "string" ? read : JSON.stringify(read, null, 2);
}
