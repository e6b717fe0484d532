import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { open } from "../src/features/agent/actions/following";
import { conversation, conversationOf, loading } from "../src/features/agent/store";
import { emptyConversation } from "../src/features/agent/logic/chat";

/** What was asked of the server and not answered yet. */
let asked: { url: string; answer: (text: string) => void }[] = [];

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (url: string) =>
    new Promise<Response>((resolve) => {
      const answer = (text: string): void => resolve(Response.json({ ok: true, data: { run: null, entries: [{ n: 1, kind: "user", id: "a", at: 1, text }] } }));
      asked.push({ url, answer });
    }));
});

afterEach(() => {
  vi.unstubAllGlobals();
  conversation.value = emptyConversation;
  conversationOf.value = "";
});

const answerNext = async (text: string): Promise<string> => {
  const next = await vi.waitFor(() => asked.shift() ?? expect.fail("nothing is asked for"), 10_000);
  next.answer(text);
  return next.url;
};
const shown = (): (string | undefined)[] => conversation.value.entries.map(({ text }) => text);

test("a conversation that is opened again while it is read is read again", async () => {
  void open("one");
  void open("one");
  void open("one");
  await answerNext("before the cut");
  await answerNext("after it");
  await vi.waitFor(() => expect(shown()).toEqual(["after it"]), 10_000);
  expect(asked).toEqual([]);
});

test("a conversation opened during another's read is read next, and only its messages are shown", async () => {
  void open("one");
  void open("two");
  expect(await answerNext("of one")).toContain("/one?");
  expect(loading.value).toBe("loading");
  expect(await answerNext("of two")).toContain("/two?");
  await vi.waitFor(() => expect(shown()).toEqual(["of two"]), 10_000);
});
