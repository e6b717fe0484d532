/** Finds elements that listen for clicks through the debugger, from which no page can hide them. */

import { attach, isAttached, send } from "./debuggee";
import { topWorld } from "./worlds";

const CLICKS = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "dragstart", "contextmenu"]);
const MOST = 2000;
/** A page with more listeners than this is asked only now and then, because each one costs time. */
const DEAR = 1000;
const SELDOM_MS = 5000;
const GROUP = "handrail-listeners";

/** How many of the debugger's handles are kept before they are released. */
const MOST_HANDLES = 2000;

interface Listener { type: string; backendNodeId?: number; handler?: { description?: string } }
/**
 * By the world of a document: the listening elements when it was last asked, when that was, and the debugger's handle
 * of the document.
 */
const listenersByWorld = new Map<string, { ids: Set<number>; at: number; document: string | null; handles: number }>();

/**
 * True if something was found that the page script didn't know. Never fails: without a debugger there are no results.
 */
export async function findListeners(tabId: number): Promise<boolean> {
  const world = topWorld(tabId);
  const before = world && listenersByWorld.get(world.uniqueId);
  if (!world || !isAttached(tabId) || (before && before.ids.size > DEAR && performance.now() - before.at < SELDOM_MS)) return false;
  try {
    const delegating = noteDelegated(tabId, world.id).catch(() => false);
    const document = before?.document ?? (await handleOfDocument(tabId));
    const { listeners } = await send<{ listeners: Listener[] }>(tabId, "DOMDebugger.getEventListeners", { objectId: document, depth: -1, pierce: true });
    const ids = new Set(listeners.filter((one) => CLICKS.has(one.type) && one.backendNodeId !== undefined).map((one) => one.backendNodeId!));
    const handles = (before?.handles ?? 0) + listeners.length + 1;
    const isFull = handles > MOST_HANDLES;
    if (isFull) void send(tabId, "Runtime.releaseObjectGroup", { objectGroup: GROUP }).catch(() => undefined);
    listenersByWorld.set(world.uniqueId, { ids, at: performance.now(), document: isFull ? null : document, handles: isFull ? 0 : handles });
    if (listenersByWorld.size > 100) listenersByWorld.delete(listenersByWorld.keys().next().value!);
    const fresh = [...ids].filter((id) => !before?.ids.has(id)).slice(0, MOST);
    const results = await Promise.all(fresh.map((id) => note(tabId, id, world.id).catch(() => false)));
    return (await delegating) || results.some(Boolean);
  } catch {
    if (!before?.document) return false;
    before.document = null; // a debugger that was attached again has lost it
    return await findListeners(tabId);
  }
}

async function handleOfDocument(tabId: number): Promise<string> {
  const { result } = await send<{ result: { objectId: string } }>(tabId, "Runtime.evaluate", { expression: "document", objectGroup: GROUP });
  return result.objectId;
}

async function note(tabId: number, backendNodeId: number, executionContextId: number): Promise<boolean> {
  const { object } = await send<{ object: { objectId: string } }>(tabId, "DOM.resolveNode", { backendNodeId, executionContextId });
  const { result } = await send<{ result: { value: boolean } }>(tabId, "Runtime.callFunctionOn", {
    objectId: object.objectId,
    functionDeclaration: "function () { return this instanceof Element ? globalThis.handrail?.noteListener(this) ?? false : false }",
    returnByValue: true,
  });
  return result.value;
}

/** jQuery itself stores which descendants a delegated listener is for. */
const DELEGATED = `(() => {
  const $ = globalThis.jQuery;
  if (!$ || typeof $._data !== "function") return null;
  const found = new Set();
  for (const at of [document, document.body, ...document.querySelectorAll("*")]) {
    const events = $._data(at, "events");
    for (const type of ${JSON.stringify([...CLICKS])}) for (const { selector } of events?.[type] ?? []) if (typeof selector === "string") found.add(selector);
    if (found.size > 200) break;
  }
  return JSON.stringify([...found]);
})()`;

async function noteDelegated(tabId: number, contextId: number): Promise<boolean> {
  const { result } = await send<{ result: { value?: string | null } }>(tabId, "Runtime.evaluate", { expression: DELEGATED, returnByValue: true });
  if (!result.value) return false;
  const expression = `globalThis.handrail?.noteSelectors(${JSON.stringify(result.value)}) ?? false`;
  const { result: noted } = await send<{ result: { value: boolean } }>(tabId, "Runtime.evaluate", { expression, contextId, returnByValue: true });
  return noted.value;
}

/** The same for a page that is indexed without a debugger. */
export async function attachAndFind(tabId: number): Promise<boolean> {
  return await attach(tabId).then(() => findListeners(tabId), () => false);
}
