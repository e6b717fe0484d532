/** Listens to the debugger of every task's tab: keeps its log, and answers dialogs so that none blocks the page. */

import { onDebuggerEvent, send } from "./debuggee";
import { TabLog } from "./tab_log";
import { taskOfTab } from "./tasks";

export interface DialogAnswer { accept: boolean; promptText?: string }

const logs = new Map<number, TabLog>();
const answers = new Map<number, DialogAnswer>();

export function logOf(tabId: number): TabLog {
  let log = logs.get(tabId);
  if (!log) logs.set(tabId, (log = new TabLog()));
  return log;
}

export const dropLog = (tabId: number): void => void logs.delete(tabId);

/** How dialogs that an action opens are answered; by default they are dismissed. */
export async function answering<T>(tabId: number, answer: DialogAnswer | undefined, work: () => Promise<T>): Promise<T> {
  if (answer) answers.set(tabId, answer);
  try {
    return await work();
  } finally {
    answers.delete(tabId);
  }
}

export function observeTabs(): void {
  onDebuggerEvent((tabId, method, params) => {
    if (method === "Page.javascriptDialogOpening") return openDialog(tabId, params as { type: string; message: string });
    if (method === "Page.fileChooserOpened") {
      logOf(tabId).dialogs.push({ type: "file", message: "The page asks for a file. Use browser_upload." });
      return;
    }
    logOf(tabId).note(method, params);
  });
}

/** While a person is in control, dialogs are theirs to answer. */
function openDialog(tabId: number, { type, message }: { type: string; message: string }): void {
  if (taskOfTab(tabId)?.status === "takeover") return;
  // The agent asked to leave the page, and an alert has only one answer.
  const answer = type === "beforeunload" || type === "alert" ? { accept: true } : (answers.get(tabId) ?? { accept: false });
  logOf(tabId).dialogs.push({ type, message, answer: answer.accept ? "accepted" : "dismissed" });
  void send(tabId, "Page.handleJavaScriptDialog", { ...answer }).catch(() => undefined);
}

export async function interceptFileChooser(tabId: number, enabled: boolean): Promise<void> {
  await send(tabId, "Page.setInterceptFileChooserDialog", { enabled }).catch(() => undefined);
}
