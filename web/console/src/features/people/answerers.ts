/** Who answered, in words. */

import { texts } from "../../store";

/** By the word before the colon: `console:ada`, `client:Claude Code`, `program`. */
export function answererName(answeredBy: string): string {
  const { answerers } = texts.value;
  const [kind = "", ...rest] = answeredBy.split(":");
  const name = rest.join(":");
  if (name && (kind === "console" || kind === "terminal" || kind === "client")) return answerers[kind](name);
  return kind === "program" || kind === "handrail" ? answerers[kind] : answeredBy;
}
