import type { PromptEntry, RequestEntry, ResponseEntry } from "@handrail/host";
import { expect, test } from "vitest";
import { emptyQueue, moveOn, pendingCount, receive, replacePending, show, step } from "../src/features/people/logic/queue";

const request = (requestId: string): RequestEntry => ({
  ts: "2026-01-01T00:00:00Z", type: "ui_prompt", action: "request", requestId, prompt: { kind: "result" },
});
const response = (requestId: string, remark = ""): ResponseEntry => ({
  ts: "2026-01-01T00:00:01Z", type: "ui_prompt", action: "response", requestId, response: { status: "ok", remark },
});
const filled = (...entries: PromptEntry[]) => receive(emptyQueue, entries);

test("the oldest prompt is shown first", () => {
  expect(filled(request("a"), request("b")).shown).toBe("a");
});

test("a new prompt never replaces the shown one", () => {
  const queue = show(filled(request("a"), request("b")), "b");
  expect(receive(queue, [request("c")])).toMatchObject({ shown: "b", order: ["a", "b", "c"] });
});

test("a prompt that was answered elsewhere stays until the person moves on", () => {
  const queue = receive(filled(request("a"), request("b")), [response("a")]);
  expect(queue).toMatchObject({ shown: "a", order: ["a", "b"] });
  expect(pendingCount(queue)).toBe(1);
  expect(moveOn(queue)).toMatchObject({ shown: "b", order: ["b"] });
});

test("the first response wins", () => {
  const queue = receive(filled(request("a")), [response("a", "first"), response("a", "second")]);
  expect(queue.prompts.get("a")?.response?.response.remark).toBe("first");
});

test("of two responses the first in the log wins, whichever page is read first", () => {
  const [first, second] = [{ ...response("a", "first"), offset: 10 }, { ...response("a", "second"), offset: 20 }];
  for (const entries of [[request("a"), second, first], [request("a"), first, second], [second, first, request("a")]]) {
    expect(filled(...entries).prompts.get("a")?.response?.response.remark).toBe("first");
  }
});

test("who answered may become known later, also for this page's own answer", () => {
  const told = { ...response("a"), offset: 10 };
  const queue = receive(filled(request("a"), response("a")), [told, { ...told, answeredBy: "console:ada" }]);
  expect(queue.prompts.get("a")?.response?.answeredBy).toBe("console:ada");
});

test("pages in any order give one history, newest first", () => {
  const page = (...numbers: number[]) => numbers.flatMap((at) => [request(`r${at}`), { ...response(`r${at}`), offset: at }]);
  const queue = [page(7, 8), page(9), page(3, 4), page(1, 2), [response("r9"), { ...response("r8"), offset: 8, answeredBy: "program" }]].reduce(receive, emptyQueue);
  expect(queue.answered.map(({ request: { requestId } }) => requestId)).toEqual(["r9", "r8", "r7", "r4", "r3", "r2", "r1"]);
  expect(queue.answered[1]?.response?.answeredBy).toBe("program");
  const own = receive(queue, [request("own"), response("own")]);
  expect(own.answered[0]?.request.requestId).toBe("own");
  expect(receive(own, [{ ...response("own"), offset: 10 }]).answered).toHaveLength(8);
});

test("a response to an unknown request is ignored", () => {
  expect(filled(response("x")).prompts.size).toBe(0);
});

test("after the last answer nothing is shown", () => {
  expect(moveOn(receive(filled(request("a")), [response("a")]))).toMatchObject({ shown: null, order: [] });
});

test("steps stop at both ends", () => {
  const queue = filled(request("a"), request("b"));
  expect(step(queue, -1).shown).toBe("a");
  expect(step(step(queue, 1), 1).shown).toBe("b");
});

test("moving on wraps around to prompts that were left for later", () => {
  const queue = show(filled(request("a"), request("b")), "b");
  expect(moveOn(receive(queue, [response("b")])).shown).toBe("a");
});

test("after a reload only what the server lists is pending, and the shown one stays", () => {
  const queue = show(filled(request("a"), request("b"), request("c")), "b");
  expect(replacePending(queue, [request("c"), request("d")], queue.order)).toMatchObject({ shown: "b", order: ["b", "c", "d"] });
});

test("a caller that goes away is marked on the shown prompt", () => {
  const queue = receive(filled(request("a")), [{ ...request("a"), caller: "gone" }]);
  expect(queue.prompts.get("a")?.request.caller).toBe("gone");
});

test("a response read before its request, from a newer page, settles it", () => {
  const queue = receive(filled(response("a")), [request("a")]);
  expect(queue).toMatchObject({ shown: null, order: [] });
  expect(queue.answered.map((asked) => asked.request.requestId)).toEqual(["a"]);
});

test("a shown prompt that the server no longer lists is marked as gone", () => {
  const queue = replacePending(filled(request("a")), [], ["a"]);
  expect(queue.prompts.get("a")?.isGone).toBe(true);
  expect(pendingCount(queue)).toBe(0);
});

test("a prompt that arrived while the list was being read is not gone", () => {
  const queue = replacePending(filled(request("a"), request("b")), [request("a")], ["a"]);
  expect(queue.prompts.get("b")?.isGone).toBeUndefined();
  expect(pendingCount(queue)).toBe(2);
});
