/**
 * Asks the debugger whether anything in a page listens for keys or text. Text that nothing hears as keys is entered at
 * once.
 */

import { onDetached, send } from "./debuggee";
import { topWorld } from "./worlds";

const KEYS = new Set(["keydown", "keypress", "keyup"]);
const FOCUS = new Set(["focus", "focusin", "blur", "focusout"]);
const TEXT = new Set(["beforeinput", "input", "change", "textInput", "select", "selectionchange"]);
const GROUP = "handrail-keys";

interface Handles { world: string; document: string; window: string }
interface Listeners { listeners: { type: string }[] }

/** Prepared in advance, so that the question itself takes one message. */
const handles = new Map<number, Promise<Handles | null>>();

export function watchTypingListeners(): void {
  onDetached((tabId) => handles.delete(tabId));
}

/** What a page hears of typing. `focus`: it may add listeners when it gets the focus. `nothing`: it can't react. */
export type ListenedInput = "keys" | "focus" | "text" | "nothing";

/** "keys" if it is unknown. */
export async function listenedInputOf(tabId: number): Promise<ListenedInput> {
  const world = topWorld(tabId)?.uniqueId;
  if (!world) return "keys";
  let objects = await handles.get(tabId)?.catch(() => null);
  if (objects?.world !== world) objects = await handlesOf(tabId, world).catch(() => null);
  if (!objects) return "keys";
  const queries = [send<Listeners>(tabId, "DOMDebugger.getEventListeners", { objectId: objects.document, depth: -1, pierce: true }), send<Listeners>(tabId, "DOMDebugger.getEventListeners", { objectId: objects.window })];
  // Each answer keeps the listeners' functions alive until its group is released, and the handles with it.
  handles.set(tabId, Promise.allSettled([...queries, send(tabId, "Runtime.releaseObjectGroup", { objectGroup: GROUP })]).then(() => handlesOf(tabId, world)));
  const answers = await Promise.all(queries).catch(() => null);
  if (answers === null) return "keys";
  const types = answers.flatMap(({ listeners }) => listeners.map(({ type }) => type));
  const has = (names: Set<string>): boolean => types.some((type) => names.has(type));
  return has(KEYS) ? "keys" : has(FOCUS) ? "focus" : has(TEXT) ? "text" : "nothing";
}

async function handlesOf(tabId: number, world: string): Promise<Handles | null> {
  const handle = async (expression: string): Promise<string> =>
    (await send<{ result: { objectId: string } }>(tabId, "Runtime.evaluate", { expression, objectGroup: GROUP })).result.objectId;
  const [document, window] = await Promise.all([handle("document"), handle("window")]);
  return topWorld(tabId)?.uniqueId === world ? { world, document, window } : null;
}
