/** What is told of a task while it goes on, taken into the conversation. Told twice or in the wrong order, it stands there once. */

import type { FrontendEvent } from "../../../shell/events";
import { changed, placeOf, type Conversation, type Entry, type Run, type ToolStatus, type ToolUse, type Trouble } from "./chat";

interface ToldError {
  code?: string;
  message?: string;
  details?: { hint?: unknown };
}

/** What is told of a task, as far as a conversation is concerned. */
export type ChatEvent =
  | FrontendEvent<"chatDelta"> & { sender?: string; messageId?: string; targetEventId?: string; finished: boolean; restart?: boolean; offset?: number; delta?: { content?: string }; content?: string }
  | FrontendEvent<"thinkingDelta"> & { messageId: string; targetEventId?: string; restart?: boolean; delta?: { content?: string } }
  | FrontendEvent<"toolUsed"> & { name: string; actionId: string; status: ToolStatus; messageId?: string; arguments?: unknown; text?: string; effect?: string }
  | FrontendEvent<"structuredOutput"> & { status: string; schemaName?: string; error?: ToldError; targetEventId?: string }
  | FrontendEvent<"runStatus"> & Run
  | FrontendEvent<"snapshotSync" | "taskStatus">;

export function takeEvent(known: Conversation, event: ChatEvent, at: number): Conversation {
  switch (event.type) {
    case "chatDelta":
      return event.sender === "user" || !event.messageId ? known : takeDelta(known, { ...event, messageId: event.messageId }, at);
    case "thinkingDelta":
      return takeThought(known, event, at);
    case "toolUsed":
      return takeTool(known, event, at);
    case "structuredOutput":
      return event.error && event.schemaName !== "browser_action" ? { ...known, trouble: troubleOf(event.error) } : known;
    case "runStatus": {
      const { type: _, ...run } = event;
      const isGoing = run.status === "running";
      const entries = isGoing ? known.entries : known.entries.map((entry) => (entry.isStreaming ? still(entry) : entry));
      return { ...known, run, entries, trouble: isGoing ? null : run.trouble ? (known.trouble ?? { code: "", message: run.trouble }) : known.trouble };
    }
    default:
      return known;
  }
}

type Delta = Extract<ChatEvent, { type: "chatDelta" }> & { messageId: string };

function takeDelta(known: Conversation, event: Delta, at: number): Conversation {
  const place = placeOf(known, "assistant", event.messageId);
  const before = known.entries[place];
  const piece = event.delta?.content ?? "";
  if (event.finished) {
    const text = event.content ?? event.delta?.content ?? before?.text ?? "";
    if (before) return changed(known, place, (entry) => ({ ...still(entry), text }));
    return text ? { ...known, entries: [...known.entries, { kind: "assistant", id: event.messageId, at, text }] } : known;
  }
  if (!before) {
    // Only one reply is written at a time: one that was left half-written by a server that ended is not gone on with.
    const entries = known.entries.filter((entry) => !(entry.isStreaming && entry.n === undefined));
    const isWhole = event.offset === undefined || event.offset === 0;
    return { ...known, entries: [...entries, { kind: "assistant", id: event.messageId, at, text: piece, isStreaming: true, ...(isWhole ? {} : { hasGap: true }) }] };
  }
  if (event.restart) return changed(known, place, ({ hasGap: _, ...entry }) => ({ ...entry, text: piece, isStreaming: true }));
  if (!before.isStreaming || before.hasGap) return known;
  if (event.offset !== undefined && event.offset !== before.text.length) {
    return event.offset < before.text.length ? known : changed(known, place, (entry) => ({ ...entry, hasGap: true }));
  }
  return changed(known, place, (entry) => ({ ...entry, text: entry.text + piece }));
}

type Thought = Extract<ChatEvent, { type: "thinkingDelta" }>;

/** A reply begins with what the model thinks; its words follow. */
function takeThought(known: Conversation, { messageId, restart, delta }: Thought, at: number): Conversation {
  const place = placeOf(known, "assistant", messageId);
  const piece = delta?.content ?? "";
  if (place >= 0) return changed(known, place, (entry) => ({ ...entry, thinking: restart ? piece : (entry.thinking ?? "") + piece }));
  if (!piece) return known;
  const entries = known.entries.filter((entry) => !(entry.isStreaming && entry.n === undefined));
  return { ...known, entries: [...entries, { kind: "assistant", id: messageId, at, text: "", thinking: piece, isStreaming: true }] };
}

type Used = Extract<ChatEvent, { type: "toolUsed" }>;

function takeTool(known: Conversation, event: Used, at: number): Conversation {
  const place = placeOf(known, "tool", event.actionId);
  const before = known.entries[place];
  // The browser's own actions are told under ids of their own; they are parts of a call that stands here already.
  if (!before && event.messageId === undefined) return known;
  const tool: ToolUse = {
    ...before?.tool,
    name: event.name || before?.tool?.name || "",
    executionId: event.actionId,
    // News may come in the wrong order: what has ended does not run again.
    status: event.status === "running" && before?.tool ? before.tool.status : event.status,
    ...(event.arguments === undefined ? {} : { arguments: event.arguments }),
    ...(event.effect === undefined ? {} : { effect: event.effect }),
  };
  if (before) return changed(known, place, (entry) => ({ ...entry, tool, text: event.text ?? entry.text }));
  return { ...known, entries: [...known.entries, { kind: "tool", id: event.actionId, at, text: event.text ?? "", tool }] };
}

function still({ isStreaming: _, hasGap: __, ...entry }: Entry): Entry {
  return entry;
}

function troubleOf({ code = "", message = "", details }: ToldError): Trouble {
  const hint = details?.hint;
  return { code, message, ...(typeof hint === "string" ? { hint } : {}) };
}

/** The words that an answer is told to, where this window has not heard them: another one has said them. */
export function unheardBy(known: Conversation, event: ChatEvent): string | undefined {
  const target = "targetEventId" in event ? event.targetEventId : undefined;
  return target && placeOf(known, "user", target) < 0 ? target : undefined;
}
