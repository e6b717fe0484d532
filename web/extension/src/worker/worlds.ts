/** Our isolated worlds in the top frames of tabs, as the debugger reports them: the fastest way into a page. */

import { onAttached, onDebuggerEvent, onDetached, send } from "./debuggee";

/** `uniqueId` never names another document, not even one of another process. */
export interface World { id: number; uniqueId: string; frameId: string }

interface Frame { id: string; parentId?: string }
interface Described { id: number; uniqueId: string; origin: string; auxData?: { frameId?: string } }

const worlds = new Map<number, World[]>();
const topFrames = new Map<number, string>();

export function watchWorlds(): void {
  onAttached((tabId) => {
    void send<{ frameTree: { frame: Frame } }>(tabId, "Page.getFrameTree").then(({ frameTree }) => topFrames.set(tabId, frameTree.frame.id), () => undefined);
  });
  onDetached((tabId) => forget(tabId));
  onDebuggerEvent((tabId, method, params) => {
    if (method === "Runtime.executionContextsCleared") worlds.delete(tabId);
    if (method === "Runtime.executionContextDestroyed") drop(tabId, params["executionContextUniqueId"] as string);
    if (method === "Runtime.executionContextCreated") note(tabId, params["context"] as Described);
    if (method === "Page.frameNavigated") arrive(tabId, params["frame"] as Frame);
  });
}

export const isTopFrame = (tabId: number, frameId: string): boolean => topFrames.get(tabId) === frameId;

export function topWorld(tabId: number): World | undefined {
  return worlds.get(tabId)?.findLast((one) => isTopFrame(tabId, one.frameId));
}

function note(tabId: number, { id, uniqueId, origin, auxData }: Described): void {
  if (origin !== `chrome-extension://${chrome.runtime.id}` || !auxData?.frameId) return;
  worlds.set(tabId, [...(worlds.get(tabId) ?? []), { id, uniqueId, frameId: auxData.frameId }]);
}

function drop(tabId: number, uniqueId: string): void {
  worlds.set(tabId, (worlds.get(tabId) ?? []).filter((one) => one.uniqueId !== uniqueId));
}

function arrive(tabId: number, frame: Frame): void {
  if (!frame.parentId) topFrames.set(tabId, frame.id);
}

function forget(tabId: number): void {
  worlds.delete(tabId);
  topFrames.delete(tabId);
}
