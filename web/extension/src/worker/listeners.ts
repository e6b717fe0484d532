/** Last resort for pages without a trace of what can be clicked: the debugger knows who listens for clicks. */

import { attach, send } from "./debuggee";
import { topWorld } from "./worlds";

const MOST = 60;

interface Captured { documents: { nodes: { backendNodeId: number[]; nodeType: number[]; isClickable?: { index: number[] } } }[] }

/** True when something was found that the next index will show. */
export async function noteListeners(tabId: number): Promise<boolean> {
  try {
    await attach(tabId);
    const world = topWorld(tabId);
    if (!world) return false;
    const { documents } = await send<Captured>(tabId, "DOMSnapshot.captureSnapshot", { computedStyles: [] });
    const nodes = documents[0]?.nodes;
    const ids = (nodes?.isClickable?.index ?? []).filter((at) => nodes?.nodeType[at] === 1).slice(0, MOST).map((at) => nodes!.backendNodeId[at]!);
    const noted = await Promise.all(ids.map((backendNodeId) => note(tabId, backendNodeId, world.id)));
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
