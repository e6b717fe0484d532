import { beforeEach, expect, test, vi } from "vitest";
import { draftOf, giveBack, keepDraft, keepRefused } from "../src/features/agent/actions/drafts";
import { send } from "../src/features/agent/actions/sending";
import { conversation, conversationOf, wantedMode, wantedModel } from "../src/features/agent/store";
import { emptyConversation } from "../src/features/agent/logic/chat";

type Ack = { ok: boolean; error?: { code: string; message: string } };
const REFUSED: Ack = { ok: false, error: { code: "E_BUSY", message: "Busy." } };
const file = { id: "a1", name: "a.txt", type: "text/plain" };

/** The server's end of the line: it answers when the test says so. */
const server = vi.hoisted(() => ({ heard: [] as Record<string, unknown>[], answer: (_: unknown): void => undefined }));
vi.mock("../src/shell/line", () => ({
  currentLine: () => ({
    connected: true,
    timeout: () => ({
      emitWithAck: (_: string, message: Record<string, unknown>) => {
        server.heard.push(message);
        return new Promise((resolve) => (server.answer = resolve));
      },
    }),
  }),
}));

beforeEach(() => {
  server.heard.length = 0;
  for (const task of ["one", "two"]) keepDraft(task, { text: "", attachments: [] });
  conversation.value = emptyConversation;
  conversationOf.value = "one";
});

test("a message refused after its task was left is appended to the draft there", async () => {
  const sending = send("one", "first", [file]);
  keepDraft("one", { text: "second" });
  conversationOf.value = "two";
  server.answer(REFUSED);
  await sending;
  expect(draftOf("one")).toEqual({ text: "second\n\nfirst", attachments: [file] });
  expect(draftOf("two").text).toBe("");
});

test("an unsent message keeps its id until it is changed", async () => {
  const sending = send("one", "first", [file], "evt-1");
  conversationOf.value = "two";
  server.answer(REFUSED);
  await sending;
  expect(draftOf("one")).toEqual({ text: "first", attachments: [file], id: "evt-1" });
  keepDraft("one", { text: "first of all" });
  expect(draftOf("one").id).toBeUndefined();
});

test("a message that is returned twice is in the draft once", () => {
  const entry = { kind: "user", id: "evt-1", at: 1, text: "first", sending: "refused" } as const;
  keepRefused("one", { ...emptyConversation, entries: [entry] });
  giveBack("one", entry);
  expect(draftOf("one")).toEqual({ text: "first", attachments: [], id: "evt-1" });
});

test("a mode and a model chosen while a message is being sent apply to the next one", async () => {
  [wantedMode.value, wantedModel.value] = ["plan", "a"];
  const sending = send("one", "first");
  wantedModel.value = "b";
  server.answer({ ok: true });
  await sending;
  expect(server.heard).toMatchObject([{ mode: "plan", model: "a" }]);
  expect([wantedMode.value, wantedModel.value]).toEqual([undefined, "b"]);
});
