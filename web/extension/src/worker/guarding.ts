/** Asks the page whether an act that a person has allowed went as it was shown: it may have changed itself on the way. */

import type { Context } from "./action";
import { soon } from "./deadline";
import { ask, goneOr, TOP } from "./page";

/** By then a page that lets its own listeners through has said so. */
const HEARD_MS = 10;

/** Presses the mouse, and refuses where the page was changed by then. The page is asked before, so that its answer comes with the press. */
export async function pressedOn(context: Context, tabId: number, frameId: number, press: () => Promise<void>): Promise<void> {
  if (frameId !== TOP) {
    await press();
    return await judged(context, tabId, frameId, { isPressed: true });
  }
  let isHeard = false;
  const heard = ask(tabId, TOP, "pressed", {}).catch(goneOr(undefined)).then(() => void (isHeard = true));
  heard.catch(() => undefined);
  const pressing = press();
  await Promise.race([heard, pressing]);
  if (isHeard) return void pressing.catch(() => undefined); // the release fails as well then
  await pressing;
  await soon(heard, HEARD_MS, undefined);
  if (!isHeard) await judged(context, tabId, frameId, { isPressed: true });
}

/** Refuses where something was stopped. A page that has gone went where it was meant to: the guard has let it. */
export async function judged(context: Context, tabId: number, frameId: number, { isPressed = false, isOver = false }): Promise<void> {
  if (!context.expected) return;
  const asked = isOver ? ask(tabId, frameId, "lastVerdict", { isPressed }) : ask(tabId, frameId, "verdict", { isPressed });
  await asked.catch(goneOr(undefined));
}
