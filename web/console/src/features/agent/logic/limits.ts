/** Parses a task's limits as people type them. */

import type { LimitName } from "./chat";

const MOST_STEPS = 10_000;
const WHOLE = /^\d{1,5}$/;
const AMOUNT = /^\d{1,7}(?:[.,]\d{1,4})?$/;

/** Null if nothing is typed: the limit of the settings. Undefined if it isn't a valid limit. */
export function readLimit(name: LimitName, typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  if (name === "mostSteps") return WHOLE.test(text) && Number(text) >= 1 && Number(text) <= MOST_STEPS ? Number(text) : undefined;
  return AMOUNT.test(text) ? Number(text.replace(",", ".")) : undefined;
}

/** Twice the limit: what a person is offered when a limit was reached. */
export const raised = (name: LimitName, value: number): number => (name === "mostSteps" ? Math.min(MOST_STEPS, value * 2) : value * 2);
