/**
 * Messages inside the extension: from its own pages, from its script in web pages, and from the bridge; each sender
 * has its own set.
 */

import type { ConfirmAnswer } from "../protocol";
import type { ObservedInput } from "./own_input";

export type PageMessage = { type: "page/pause"; ms: number } | { type: "page/input"; seen: ObservedInput } | { type: "page/stop" };
export type BridgeMessage = { type: "bridge/probe" } | { type: "bridge/pair"; server: string; code: string };
export type UiMessage =
  | { type: "ui/pair"; server: string; code: string }
  | { type: "ui/unpair" }
  | { type: "ui/answer_pair"; accept: boolean; server: string }
  | { type: "ui/takeover"; taskId: string }
  | { type: "ui/handback"; taskId: string }
  | { type: "ui/stop"; taskId: string }
  | { type: "ui/answer_confirm"; confirmId: string; answer: ConfirmAnswer }
  | { type: "ui/reconnect" };

export type InnerMessage = PageMessage | BridgeMessage | UiMessage;
export type Done = { ok: true } | { ok: false; message: string };

/** Only our own pages may control tasks; content scripts are trusted no more than a web page. */
export function isFromUi(sender: chrome.runtime.MessageSender): boolean {
  return sender.id === chrome.runtime.id && (sender.url ?? "").startsWith(`chrome-extension://${chrome.runtime.id}/`);
}

export function isFromPage(sender: chrome.runtime.MessageSender): boolean {
  return sender.id === chrome.runtime.id && sender.tab?.id !== undefined && !isFromUi(sender);
}
