/** Asks the page whether an approved action went as shown: the page may have changed on the way. */

import type { Context } from "./action";
import { soon } from "./deadline";
import { ask, ifGone, TOP } from "./page";

/** By then a page that lets its own listeners run has answered. */
const HEARD_MS = 10;

/**
 * Presses the mouse, and refuses if the page was changed by then. The page is asked first, so that its answer comes
 * with the press.
 */
export async function pressedOn(context: Context, tabId: number, frameId: number, press: () => Promise<void>): Promise<void> {
  if (frameId !== TOP) {
    await press();
    return await judged(context, tabId, frameId, { isPressed: true });
  }
  let isHeard = false;
  const reached = ask(tabId, TOP, "pressed", {}).catch(ifGone(undefined)).then(() => void (isHeard = true));
  reached.catch(() => undefined);
  const pressing = press();
  await Promise.race([reached, pressing]);
  if (isHeard) return void pressing.catch(() => undefined); // the release fails as well then
  await pressing;
  await soon(reached, HEARD_MS, undefined);
  if (!isHeard) await judged(context, tabId, frameId, { isPressed: true });
}

/** Refuses if something was stopped. A page that has gone went where it was meant to: the guard let it. */
export async function judged(context: Context, tabId: number, frameId: number, { isPressed = false, isOver = false }): Promise<void> {
  if (!context.expected) return;
  const answer = isOver ? ask(tabId, frameId, "lastVerdict", { isPressed }) : ask(tabId, frameId, "verdict", { isPressed });
  await answer.catch(ifGone(undefined));
}
