/** Applies a task's events to its conversation. Repeated or out-of-order events appear once. */

import type { FrontendEvent } from "../../../shell/events";
import { withChangedEntry, placeOf, type Conversation, type Entry, type Run, type ToolStatus, type ToolUse, type Trouble } from "./chat";

interface ToldError {
  code?: string;
  message?: string;
  details?: { hint?: unknown };
}

/** Events of a task that concern its conversation. */
export type ChatEvent =
  | FrontendEvent<"chatDelta"> & { sender?: string; messageId?: string; targetEventId?: string; finished: boolean; restart?: boolean; offset?: number; delta?: { content?: string }; content?: string }
  | FrontendEvent<"thinkingDelta"> & { messageId: string; targetEventId?: string; restart?: boolean; delta?: { content?: string } }
  | FrontendEvent<"toolUsed"> & { name: string; actionId: string; status: ToolStatus; messageId?: string; arguments?: unknown; text?: string; effect?: string }
  | FrontendEvent<"structuredOutput"> & { status: string; schemaName?: string; error?: ToldError; targetEventId?: string }
  | FrontendEvent<"runStatus"> & Run
  | FrontendEvent<"snapshotSync" | "taskStatus">;

export function takeEvent(conversation: Conversation, event: ChatEvent, at: number): Conversation {
  switch (event.type) {
    case "chatDelta":
      return event.sender === "user" || !event.messageId ? conversation : takeDelta(conversation, { ...event, messageId: event.messageId }, at);
    case "thinkingDelta":
      return takeThought(conversation, event, at);
    case "toolUsed":
      return takeTool(conversation, event, at);
    case "structuredOutput":
      return event.error && event.schemaName !== "browser_action" ? { ...conversation, trouble: troubleOf(event.error) } : conversation;
    case "runStatus": {
      const { type: _, ...run } = event;
      const isGoing = run.status === "running";
      const entries = isGoing ? conversation.entries : conversation.entries.map((entry) => (entry.isStreaming ? withoutStreaming(entry) : entry));
      return { ...conversation, run, entries, trouble: isGoing ? null : run.trouble ? (conversation.trouble ?? { code: "", message: run.trouble }) : conversation.trouble };
    }
    default:
      return conversation;
  }
}

type Delta = Extract<ChatEvent, { type: "chatDelta" }> & { messageId: string };

function takeDelta(conversation: Conversation, event: Delta, at: number): Conversation {
  const place = placeOf(conversation, "assistant", event.messageId);
  const before = conversation.entries[place];
  const piece = event.delta?.content ?? "";
  if (event.finished) {
    const text = event.content ?? event.delta?.content ?? before?.text ?? "";
    if (before) return withChangedEntry(conversation, place, (entry) => ({ ...withoutStreaming(entry), text }));
    return text ? { ...conversation, entries: [...conversation.entries, { kind: "assistant", id: event.messageId, at, text }] } : conversation;
  }
  if (!before) {
    // Only one reply is written at a time; one that a stopped server left unfinished isn't continued.
    const entries = conversation.entries.filter((entry) => !(entry.isStreaming && entry.n === undefined));
    const isWhole = event.offset === undefined || event.offset === 0;
    return { ...conversation, entries: [...entries, { kind: "assistant", id: event.messageId, at, text: piece, isStreaming: true, ...(isWhole ? {} : { hasGap: true }) }] };
  }
  if (event.restart) return withChangedEntry(conversation, place, ({ hasGap: _, ...entry }) => ({ ...entry, text: piece, isStreaming: true }));
  if (!before.isStreaming || before.hasGap) return conversation;
  if (event.offset !== undefined && event.offset !== before.text.length) {
    return event.offset < before.text.length ? conversation : withChangedEntry(conversation, place, (entry) => ({ ...entry, hasGap: true }));
  }
  return withChangedEntry(conversation, place, (entry) => ({ ...entry, text: entry.text + piece }));
}

type Thought = Extract<ChatEvent, { type: "thinkingDelta" }>;

/** A reply begins with the model's thoughts; its text follows. */
function takeThought(conversation: Conversation, { messageId, restart, delta }: Thought, at: number): Conversation {
  const place = placeOf(conversation, "assistant", messageId);
  const piece = delta?.content ?? "";
  if (place >= 0) return withChangedEntry(conversation, place, (entry) => ({ ...entry, thinking: restart ? piece : (entry.thinking ?? "") + piece }));
  if (!piece) return conversation;
  const entries = conversation.entries.filter((entry) => !(entry.isStreaming && entry.n === undefined));
  return { ...conversation, entries: [...entries, { kind: "assistant", id: messageId, at, text: "", thinking: piece, isStreaming: true }] };
}

type Used = Extract<ChatEvent, { type: "toolUsed" }>;

function takeTool(conversation: Conversation, event: Used, at: number): Conversation {
  const place = placeOf(conversation, "tool", event.actionId);
  const before = conversation.entries[place];
  // The browser's own actions have ids of their own; they are parts of a call that is already listed.
  if (!before && event.messageId === undefined) return conversation;
  const tool: ToolUse = {
    ...before?.tool,
    name: event.name || before?.tool?.name || "",
    executionId: event.actionId,
    // Events may arrive out of order: a call that has ended doesn't run again.
    status: event.status === "running" && before?.tool ? before.tool.status : event.status,
    ...(event.arguments === undefined ? {} : { arguments: event.arguments }),
    ...(event.effect === undefined ? {} : { effect: event.effect }),
  };
  if (before) return withChangedEntry(conversation, place, (entry) => ({ ...entry, tool, text: event.text ?? entry.text }));
  return { ...conversation, entries: [...conversation.entries, { kind: "tool", id: event.actionId, at, text: event.text ?? "", tool }] };
}

function withoutStreaming({ isStreaming: _, hasGap: __, ...entry }: Entry): Entry {
  return entry;
}

function troubleOf({ code = "", message = "", details }: ToldError): Trouble {
  const hint = details?.hint;
  return { code, message, ...(typeof hint === "string" ? { hint } : {}) };
}

/** The id of the message that is answered, if this window doesn't have it because another window sent it. */
export function unknownMessageId(conversation: Conversation, event: ChatEvent): string | undefined {
  const target = "targetEventId" in event ? event.targetEventId : undefined;
  return target && placeOf(conversation, "user", target) < 0 ? target : undefined;
}
