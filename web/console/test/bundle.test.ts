import type { RequestEntry } from "@handrail/host";
import { expect, test } from "vitest";
import { similarTo } from "../src/features/people/logic/bundle";
import { emptyQueue, receive } from "../src/features/people/logic/queue";

const asked = (requestId: string, more: Partial<RequestEntry> = {}): RequestEntry => ({
  ts: "2026-01-01T00:00:00Z", type: "ui_prompt", action: "request", requestId, prompt: { kind: "file_change_confirm" }, bundle: "b", digest: requestId, ...more,
});
const ids = (shown: RequestEntry, ...others: RequestEntry[]) =>
  similarTo(shown, receive(emptyQueue, [shown, ...others])).map(({ request }) => request.requestId);

test("approvals of one bundle belong together, the shown one first", () => {
  expect(ids(asked("b"), asked("a"), asked("c"))).toEqual(["b", "a", "c"]);
});

test("other bundles, other kinds and prompts without a digest are left out", () => {
  const { digest: _, ...undigested } = asked("d");
  expect(ids(asked("a"), asked("b", { bundle: "other" }), asked("c", { prompt: { kind: "result" } }), undigested)).toEqual(["a"]);
});

test("a question that isn't handrail's own approval has nothing similar", () => {
  const { bundle: _, ...alone } = asked("a");
  expect(ids(alone, asked("b"))).toEqual([]);
});

test("approvals that have been answered are left out", () => {
  const queue = receive(emptyQueue, [asked("a"), asked("b"), { ts: "2026-01-01T00:00:01Z", type: "ui_prompt", action: "response", requestId: "b", response: { status: "ok" } }]);
  expect(similarTo(asked("a"), queue).map(({ request }) => request.requestId)).toEqual(["a"]);
});
