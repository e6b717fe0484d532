/** Last resort for pages without a trace of what can be clicked: the debugger knows who listens for clicks. */

import { attach, onDebuggerEvent, send } from "./debuggee";

const MOST = 60;
/** Our isolated world in the top frame of each tab, as the debugger numbers it. */
const worlds = new Map<number, number>();

export function watchWorlds(): void {
  onDebuggerEvent((tabId, method, params) => {
    if (method === "Runtime.executionContextsCleared") worlds.delete(tabId);
    if (method !== "Runtime.executionContextCreated") return;
    const { id, origin } = params["context"] as { id: number; origin: string };
    if (origin === `chrome-extension://${chrome.runtime.id}`) worlds.set(tabId, id);
  });
}

interface Captured { documents: { nodes: { backendNodeId: number[]; nodeType: number[]; isClickable?: { index: number[] } } }[] }

/** True when something was found that the next index will show. */
export async function noteListeners(tabId: number): Promise<boolean> {
  try {
    await attach(tabId);
    const world = worlds.get(tabId) ?? (await freshWorld(tabId));
    if (world === undefined) return false;
    const { documents } = await send<Captured>(tabId, "DOMSnapshot.captureSnapshot", { computedStyles: [] });
    const nodes = documents[0]?.nodes;
    const ids = (nodes?.isClickable?.index ?? []).filter((at) => nodes?.nodeType[at] === 1).slice(0, MOST).map((at) => nodes!.backendNodeId[at]!);
    const noted = await Promise.all(ids.map((backendNodeId) => note(tabId, backendNodeId, world)));
    return noted.some(Boolean);
  } catch {
    return false;
  }
}

async function note(tabId: number, backendNodeId: number, executionContextId: number): Promise<boolean> {
  const { object } = await send<{ object: { objectId: string } }>(tabId, "DOM.resolveNode", { backendNodeId, executionContextId });
  const { result } = await send<{ result: { value: boolean } }>(tabId, "Runtime.callFunctionOn", {
    objectId: object.objectId,
    functionDeclaration: "function () { return globalThis.handrail?.noteListener(this) ?? false }",
    returnByValue: true,
  });
  return result.value;
}

/** After the worker was killed its list is empty, and only a new beginning tells of the worlds again. */
async function freshWorld(tabId: number): Promise<number | undefined> {
  await send(tabId, "Runtime.disable");
  await send(tabId, "Runtime.enable");
  return worlds.get(tabId);
}
