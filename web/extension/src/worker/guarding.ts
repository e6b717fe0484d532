/** Asks the page whether an act that a person has allowed went as it was shown: it may have changed itself on the way. */

import type { Context } from "./action";
import { ask, goneOr } from "./page";

/** Refuses where something was stopped. A page that has gone went where it was meant to: the guard has let it. */
export async function judged(context: Context, tabId: number, frameId: number, { isPressed = false, isOver = false }): Promise<void> {
  if (!context.expected) return;
  const asked = isOver ? ask(tabId, frameId, "lastVerdict", {}) : ask(tabId, frameId, "verdict", { isPressed });
  await asked.catch(goneOr(undefined));
}
