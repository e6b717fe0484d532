/**
 * What the server asks a person to confirm, in a window of the extension that no page and no action of a task can
 * reach.
 */

import type { ConfirmAnswer, ConfirmAsk } from "../protocol";

const PAGE = "confirm.html";
const SIZE = { width: 500, height: 620 };

interface Stored extends ConfirmAsk { windowId?: number }
type Emit = (message: Record<string, unknown>) => Promise<void>;

async function stored(): Promise<Stored | null> {
  return (await chrome.storage.session.get<{ confirm?: Stored }>("confirm")).confirm ?? null;
}

const clear = (): Promise<void> => chrome.storage.session.remove("confirm");

export class Confirmations {
  constructor(private readonly emit: Emit) {}

  /** The server asks for one at a time; a later request replaces one that it has forgotten. */
  async open(ask: ConfirmAsk): Promise<void> {
    await this.closeWindow();
    await chrome.storage.session.set({ confirm: ask });
    const opened = await chrome.windows.create({ url: PAGE, type: "popup", focused: true, ...SIZE });
    await chrome.storage.session.set({ confirm: { ...ask, windowId: opened?.id } });
    // It may have been closed before its id was known.
    if (!(await chrome.windows.get(opened?.id ?? -1).then(() => true, () => false))) await this.windowClosed(opened?.id ?? -1);
  }

  /** The server no longer waits. */
  async close(confirmId: string): Promise<void> {
    if ((await stored())?.confirmId === confirmId) await this.closeWindow();
  }

  /** Closing the window is not an answer. */
  async windowClosed(windowId: number): Promise<void> {
    const question = await stored();
    if (question?.windowId !== windowId) return;
    await clear();
    await this.send(question, "later").catch(() => undefined);
  }

  /** Counts only if it comes from that window's own page. Throws if the server refuses it. */
  async answer(sender: chrome.runtime.MessageSender, confirmId: string, answer: ConfirmAnswer): Promise<void> {
    const question = await stored();
    const isItsPage = sender.url === chrome.runtime.getURL(PAGE) && sender.frameId === 0 && question?.windowId !== undefined && sender.tab?.windowId === question.windowId;
    if (!question || question.confirmId !== confirmId || !isItsPage) throw new Error(chrome.i18n.getMessage("confirmOver"));
    await clear();
    await this.send(question, answer);
  }

  private async send({ confirmId, digest, requestId }: Stored, answer: ConfirmAnswer): Promise<void> {
    await this.emit({ type: "confirm_answer", id: `confirm-${crypto.randomUUID()}`, confirmId, digest, ...(requestId === undefined ? {} : { requestId }), answer });
  }

  private async closeWindow(): Promise<void> {
    const question = await stored();
    await clear();
    if (question?.windowId !== undefined) await chrome.windows.remove(question.windowId).catch(() => undefined);
  }
}

export function isConfirmAsk(message: Record<string, unknown>): boolean {
  const isText = ["confirmId", "digest", "subject", "title", "text"].every((name) => typeof message[name] === "string");
  return isText && Array.isArray(message["lines"]);
}
