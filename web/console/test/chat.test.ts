import { describe, expect, it } from "vitest";
import { afterDisconnect, chunksOf, emptyConversation, matches, addMessage, markSent, takeNewest, takeOlder, type Conversation, type Entry, type Run } from "../src/features/agent/logic/chat";
import { takeEvent, unknownMessageId, type ChatEvent } from "../src/features/agent/logic/chatEvents";

const running: Run = { status: "running", mode: "act", model: "", usage: { inputTokens: 0, outputTokens: 0 } };
const waiting: Run = { ...running, status: "waiting" };
const said = (n: number, id = `u${n}`): Entry => ({ n, kind: "user", id, at: n, text: id });
const reply = (n: number, id: string, text: string): Entry => ({ n, kind: "assistant", id, at: n, text });
const delta = (content: string, more: Partial<Extract<ChatEvent, { type: "chatDelta" }>> = {}): ChatEvent => ({ type: "chatDelta", sender: "assistant", messageId: "m", finished: false, delta: { content }, ...more });
const told = (known: Conversation, ...events: ChatEvent[]): Conversation => events.reduce((now, event) => takeEvent(now, event, 1000), known);
const textsOf = ({ entries }: Conversation): string[] => entries.map(({ text }) => text);

describe("a streamed reply", () => {
  it("grows, and is complete once it is finished", () => {
    const growing = told(emptyConversation, delta("Hel"), delta("lo"));
    expect(growing.entries).toMatchObject([{ kind: "assistant", text: "Hello", isStreaming: true }]);
    const whole = told(growing, delta("", { finished: true, content: "Hello!" }), delta("late"));
    expect(textsOf(whole)).toEqual(["Hello!"]);
    expect(whole.entries[0]?.isStreaming).toBeUndefined();
  });

  it("starts over on a restart event", () => {
    expect(textsOf(told(emptyConversation, delta("Wrong"), delta("", { restart: true }), delta("Right")))).toEqual(["Right"]);
  });

  it("is added once if only its end arrived", () => {
    const whole = told(emptyConversation, delta("", { finished: true, content: "All" }), delta("", { finished: true, content: "All" }));
    expect(textsOf(whole)).toEqual(["All"]);
  });

  it("marks missing pieces, and ignores repeated ones", () => {
    const known = told(emptyConversation, delta("abc", { offset: 0 }), delta("abc", { offset: 0 }));
    expect(textsOf(known)).toEqual(["abc"]);
    const broken = told(known, delta("xyz", { offset: 9 }), delta("more", { offset: 12 }));
    expect(broken.entries).toMatchObject([{ text: "abc", hasGap: true }]);
    expect(told(broken, delta("", { finished: true, content: "abc...xyzmore" })).entries[0]).toEqual({ kind: "assistant", id: "m", at: 1000, text: "abc...xyzmore" });
  });

  it("replaces one that a stopped server left unfinished", () => {
    expect(textsOf(told(emptyConversation, delta("half", { messageId: "old" }), delta("new")))).toEqual(["new"]);
  });
});

describe("a call of a tool", () => {
  const used = (status: "running" | "success", more = {}): ChatEvent => ({ type: "toolUsed", name: "read_file", actionId: "e1", status, messageId: "m", ...more });

  it("changes its state in place, and does not run again once it has ended", () => {
    const ended = told(emptyConversation, used("running", { arguments: { path: "a" } }), used("success", { text: "done" }), used("running"));
    expect(ended.entries).toMatchObject([{ kind: "tool", text: "done", tool: { status: "success", arguments: { path: "a" } } }]);
  });

  it("is not duplicated by the browser's own actions", () => {
    expect(told(emptyConversation, { type: "toolUsed", name: "browser_click", actionId: "act-1", status: "running" }).entries).toEqual([]);
  });
});

describe("the page that is read after a reconnect", () => {
  it("replaces events, without losses or duplicates", () => {
    const before = told(takeNewest(emptyConversation, { run: running, entries: [said(1)] }), delta("par"));
    const after = takeNewest(before, { run: waiting, entries: [said(1), reply(2, "m", "partial no more"), said(3), reply(4, "m2", "and more")] });
    expect(textsOf(after)).toEqual(["u1", "partial no more", "u3", "and more"]);
    expect(after.run?.status).toBe("waiting");
  });

  it("keeps a reply that is still being written, and marks it as incomplete", () => {
    const after = takeNewest(afterDisconnect(told(emptyConversation, delta("par"))), { run: running, entries: [said(1)] });
    expect(after.entries).toMatchObject([{ id: "u1" }, { text: "par", hasGap: true }]);
    expect(textsOf(told(after, delta("tial")))).toEqual(["u1", "par"]);
    const again = told(after, delta("", { restart: true }), delta("partial"), delta(" and on"));
    expect(again.entries[1]).toMatchObject({ text: "partial and on", isStreaming: true });
    expect(again.entries[1]?.hasGap).toBeUndefined();
  });

  it("drops an unfinished reply of a run that is over", () => {
    expect(textsOf(takeNewest(told(emptyConversation, delta("par")), { run: waiting, entries: [said(1)] }))).toEqual(["u1"]);
  });

  it("keeps older pages that were loaded, if the new one overlaps them", () => {
    const known = takeOlder(takeNewest(emptyConversation, { run: null, entries: [said(5), said(6)], next: 5 }), { run: null, entries: [said(3), said(4)], next: 3 });
    const joined = takeNewest(known, { run: null, entries: [said(6), said(7)], next: 6 });
    expect([textsOf(joined), joined.next]).toEqual([["u3", "u4", "u5", "u6", "u7"], 3]);
    const apart = takeNewest(known, { run: null, entries: [said(90), said(91)], next: 90 });
    expect([textsOf(apart), apart.next]).toEqual([["u90", "u91"], 90]);
  });

  it("ends once the last page is read", () => {
    expect("next" in takeOlder({ ...emptyConversation, next: 9 }, { run: null, entries: [said(1)] })).toBe(false);
  });
});

describe("a person's own messages", () => {
  it("appear at once, and only once when the record has them", () => {
    const sent = addMessage(emptyConversation, { id: "u1", text: "Hi", at: 1 });
    expect(sent.entries).toMatchObject([{ sending: "sent" }]);
    expect(markSent(sent, "u1", true).entries[0]?.sending).toBeUndefined();
    expect(markSent(sent, "u1", false).entries[0]?.sending).toBe("refused");
    expect(takeNewest(sent, { run: running, entries: [said(1)] }).entries).toEqual([said(1)]);
  });

  it("from another window are looked up when their answer arrives", () => {
    const known = takeNewest(emptyConversation, { run: null, entries: [said(1)] });
    expect(unknownMessageId(known, delta("x", { targetEventId: "u1" }))).toBeUndefined();
    expect(unknownMessageId(known, delta("x", { targetEventId: "u2" }))).toBe("u2");
  });
});

it("a problem is shown with its advice, and cleared when the run continues", () => {
  const troubled = told(emptyConversation, { type: "structuredOutput", status: "error", error: { code: "UNAVAILABLE", message: "No model", details: { hint: "Connect one" } } });
  expect(troubled.trouble).toEqual({ code: "UNAVAILABLE", message: "No model", hint: "Connect one" });
  expect(told(troubled, { type: "runStatus", ...running }).trouble).toBeNull();
  expect(told(emptyConversation, { type: "structuredOutput", status: "error", schemaName: "browser_action", error: { message: "no tab" } }).trouble).toBeNull();
});

it("chunks keep their entries when older and newer ones arrive", () => {
  const some = Array.from({ length: 400 }, (_, at) => said(at + 400));
  const more = [...Array.from({ length: 400 }, (_, at) => said(at)), ...some, said(800)];
  const [few, many] = [chunksOf(some), chunksOf(more)];
  const [, second, ...rest] = [...few.keys()];
  expect(rest.length).toBeGreaterThan(5);
  expect(many.get(second as string)).toEqual(few.get(second as string));
  expect([...many.values()].flat()).toEqual(more);
  expect(Math.max(...[...many.values()].map(({ length }) => length))).toBeLessThan(200);
});

it("tasks are found by any of their words", () => {
  expect([matches("Find a quiet Hotel", "hotel find"), matches("Find a quiet Hotel", "loud"), matches("x", "")]).toEqual([true, false, true]);
});

it("the model's thoughts belong to the reply that follows, and restart with it", () => {
  const think = (content: string, restart = false): ChatEvent => ({ type: "thinkingDelta", messageId: "m1", delta: { content }, ...(restart ? { restart } : {}) });
  const thinking = told(emptyConversation, think("Let me "), think("see."));
  expect(thinking.entries).toMatchObject([{ kind: "assistant", id: "m1", text: "", thinking: "Let me see.", isStreaming: true }]);
  const again = told(thinking, think("", true), think("Well."), { type: "chatDelta", messageId: "m1", finished: true, content: "Yes." });
  expect(again.entries).toMatchObject([{ text: "Yes.", thinking: "Well." }]);
  expect(again.entries[0]).not.toHaveProperty("isStreaming");
});
