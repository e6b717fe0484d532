/** Chrome's debugger on the tabs of tasks: attached when needed, adopted again after the worker was killed. */

import { Failure, isForbiddenPage } from "./failure";
import { soon } from "./deadline";
import { taskOfTab } from "./tasks";

export type DebuggerEvent = (tabId: number, method: string, params: Record<string, unknown>) => void;

/** A tab whose page stopped responding must not block attaching. */
const ENABLE_MS = 2000;
const attaching = new Map<number, Promise<void>>();
const refusedByPerson = new Set<number>();
const listeners = new Set<DebuggerEvent>();
const arrivals = new Set<(tabId: number) => void>();
const departures = new Set<(tabId: number, reason: string) => void>();

export function onDebuggerEvent(call: DebuggerEvent): void {
  listeners.add(call);
}

/** Also called when the attachment of an earlier worker was adopted. */
export function onAttached(call: (tabId: number) => void): void {
  arrivals.add(call);
}

export function onDetached(call: (tabId: number, reason: string) => void): void {
  departures.add(call);
}

export function watchDebugger(): void {
  chrome.debugger.onEvent.addListener((source, method, params) => {
    if (source.tabId !== undefined) for (const call of listeners) call(source.tabId, method, (params ?? {}) as Record<string, unknown>);
  });
  chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
    if (tabId === undefined) return;
    attaching.delete(tabId);
    if (reason === "canceled_by_user") refusedByPerson.add(tabId);
    for (const call of departures) call(tabId, reason);
  });
}

/** After a person pressed Chrome's "Cancel", the debugger may attach again only after they hand back. */
export function allowAgain(tabIds: number[]): void {
  for (const tabId of tabIds) refusedByPerson.delete(tabId);
}

export const isAttached = (tabId: number): boolean => attaching.has(tabId);

export async function attach(tabId: number): Promise<void> {
  let underway = attaching.get(tabId);
  if (!underway) {
    // The task may have been stopped in the meantime, and then the debugger would never be detached.
    if (!taskOfTab(tabId)) throw new Failure("INVALID_TASK_TAB", `Tab ${tabId} belongs to no task.`);
    if (refusedByPerson.has(tabId)) throw new Failure("CDP_UNAVAILABLE", "A person ended debugging of this tab.", { hint: "It is tried again after the task was handed back." });
    underway = begin(tabId);
    attaching.set(tabId, underway);
    underway.catch(() => attaching.delete(tabId));
  }
  await underway;
}

async function begin(tabId: number): Promise<void> {
  try {
    await chrome.debugger.attach({ tabId }, "1.3");
  } catch (error) {
    await adopt(tabId, error instanceof Error ? error.message : String(error));
  }
  for (const call of arrivals) call(tabId);
  const enabling = [
    chrome.debugger.sendCommand({ tabId }, "Page.enable"),
    chrome.debugger.sendCommand({ tabId }, "Runtime.enable"),
    chrome.debugger.sendCommand({ tabId }, "Log.enable"),
    chrome.debugger.sendCommand({ tabId }, "Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    chrome.debugger.sendCommand({ tabId }, "Page.setInterceptFileChooserDialog", { enabled: true }),
    chrome.debugger.sendCommand({ tabId }, "Emulation.setFocusEmulationEnabled", { enabled: true }),
  ];
  await soon(Promise.allSettled(enabling), ENABLE_MS, undefined);
}

/** After a kill, our own attachment is still there and responds; another program's doesn't. */
async function adopt(tabId: number, message: string): Promise<void> {
  if (isForbiddenPage(message)) throw new Failure("CDP_PERMISSION_DENIED", `Chrome does not let extensions work on this page: ${message}`);
  if (/already attached/i.test(message)) {
    const isOurs = await chrome.debugger.sendCommand({ tabId }, "Page.enable").then(() => true, () => false);
    // Enabling it again makes it report the worlds that it has already reported to the last worker.
    if (isOurs) return void (await chrome.debugger.sendCommand({ tabId }, "Runtime.disable"));
  }
  throw new Failure("CDP_UNAVAILABLE", `The debugger can't be attached: ${message}`);
}

export async function detach(tabId: number): Promise<void> {
  attaching.delete(tabId);
  for (const call of departures) call(tabId, "detached_by_us");
  await chrome.debugger.detach({ tabId }).catch(() => undefined);
}

export async function send<T = Record<string, unknown>>(tabId: number, method: string, params: Record<string, unknown> = {}): Promise<T> {
  try {
    return (await chrome.debugger.sendCommand({ tabId }, method, params)) as T;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/not attached|detached/i.test(message)) {
      attaching.delete(tabId);
      throw new Failure("CDP_UNAVAILABLE", `The debugger was detached: ${message}`);
    }
    throw error;
  }
}
