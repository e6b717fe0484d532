/** Whether anything in a page listens for keys or for text, as the debugger knows it. What nobody hears as keys goes in at once. */

import { onDetached, send } from "./debuggee";
import { topWorld } from "./worlds";

const KEYS = new Set(["keydown", "keypress", "keyup"]);
const FOCUS = new Set(["focus", "focusin", "blur", "focusout"]);
const TEXT = new Set(["beforeinput", "input", "change", "textInput", "select", "selectionchange"]);
const GROUP = "handrail-keys";

interface Handles { world: string; document: string; window: string }
interface Listeners { listeners: { type: string }[] }

/** Made beforehand, so that the question itself is one message. */
const handles = new Map<number, Promise<Handles | null>>();

export function watchTypingListeners(): void {
  onDetached((tabId) => handles.delete(tabId));
}

/** What a page hears of typing. `focus`: it may listen for more once it has heard that. `nothing`: it can't answer. */
export type Heard = "keys" | "focus" | "text" | "nothing";

/** Keys where it is not known. */
export async function heardTyping(tabId: number): Promise<Heard> {
  const world = topWorld(tabId)?.uniqueId;
  if (!world) return "keys";
  let held = await handles.get(tabId)?.catch(() => null);
  if (held?.world !== world) held = await handlesOf(tabId, world).catch(() => null);
  if (!held) return "keys";
  const asked = [send<Listeners>(tabId, "DOMDebugger.getEventListeners", { objectId: held.document, depth: -1, pierce: true }), send<Listeners>(tabId, "DOMDebugger.getEventListeners", { objectId: held.window })];
  // Each answer holds on to the listeners' functions until its group is released, and the handles with it.
  handles.set(tabId, Promise.allSettled([...asked, send(tabId, "Runtime.releaseObjectGroup", { objectGroup: GROUP })]).then(() => handlesOf(tabId, world)));
  const found = await Promise.all(asked).catch(() => null);
  if (found === null) return "keys";
  const types = found.flatMap(({ listeners }) => listeners.map(({ type }) => type));
  const has = (wanted: Set<string>): boolean => types.some((type) => wanted.has(type));
  return has(KEYS) ? "keys" : has(FOCUS) ? "focus" : has(TEXT) ? "text" : "nothing";
}

async function handlesOf(tabId: number, world: string): Promise<Handles | null> {
  const handle = async (expression: string): Promise<string> =>
    (await send<{ result: { objectId: string } }>(tabId, "Runtime.evaluate", { expression, objectGroup: GROUP })).result.objectId;
  const [document, window] = await Promise.all([handle("document"), handle("window")]);
  return topWorld(tabId)?.uniqueId === world ? { world, document, window } : null;
}
