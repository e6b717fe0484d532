import { expect, test } from "vitest";
import type { ActionResult, BrowserAction } from "../src/protocol";
import { Ledger } from "../src/worker/ledger";

/** Chrome's session storage, as far as the ledger knows it. */
function storage(bytes = 10_000_000) {
  const kept = new Map<string, unknown>();
  const set = async (items: Record<string, unknown>) => {
    const after = new Map([...kept, ...Object.entries(structuredClone(items))]);
    if (JSON.stringify([...after]).length > bytes) throw new Error("Session storage quota bytes exceeded. Values were not stored.");
    for (const [key, value] of after) kept.set(key, value);
  };
  return {
    kept,
    get: async () => structuredClone(Object.fromEntries(kept)),
    set,
    remove: async (keys: string[]) => void keys.forEach((key) => kept.delete(key)),
  };
}
const area = (one: ReturnType<typeof storage>) => one as unknown as chrome.storage.StorageArea;
const message = (id: string): BrowserAction => ({ type: "browser_action", id, taskId: "t", action: { browser_click: {} } });
const result = (actionId: string, payload: Record<string, unknown> = {}): ActionResult => ({ v: 1, type: "browser_action_result", actionId, taskId: "t", clientId: "c", status: "success", result: payload });

test("the next worker knows what the last one started, finished and delivered", async () => {
  const kept = storage();
  const first = new Ledger(area(kept));
  for (const id of ["begun", "ended", "delivered"]) await first.begin(message(id), true);
  for (const id of ["ended", "delivered"]) await first.finish(result(id, { clicked: true }));
  await first.delivered("delivered");
  const second = new Ledger(area(kept));
  expect((await second.find("delivered"))?.result).toEqual(result("delivered", { clicked: true }));
  expect((await second.undelivered()).map((entry) => [entry.actionId, entry.result !== undefined])).toEqual([["begun", false], ["ended", true]]);
  expect(await second.find("unknown")).toBeUndefined();
});

test("old results are dropped to make room, but no undelivered ones", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  await ledger.begin(message("waiting"), true);
  for (let at = 0; at < 300; at++) {
    await ledger.begin(message(`a${at}`), true);
    await ledger.finish(result(`a${at}`));
    await ledger.delivered(`a${at}`);
  }
  expect(kept.kept.size).toBeLessThan(210);
  expect(await ledger.find("waiting")).toBeDefined();
  expect(await ledger.find("a299")).toBeDefined();
});

test("only the end of a large delivered result is kept", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  await ledger.begin(message("large"), true);
  await ledger.finish(result("large", { text: "x".repeat(300_000) }));
  await ledger.delivered("large");
  expect(JSON.stringify([...kept.kept.values()]).length).toBeLessThan(1000);
});

test("a repeatable action is stored only once it takes long", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  for (const id of ["quick", "long"]) await ledger.begin(message(id), false);
  await ledger.store("long");
  for (const id of ["quick", "long"]) await ledger.finish(result(id));
  expect([...kept.kept.keys()]).toEqual(["action:long"]);
  expect((await ledger.undelivered()).map((entry) => entry.actionId)).toEqual(["quick", "long"]);
});

const ended = async (ledger: Ledger, id: string, length: number, isDelivered: boolean) => {
  await ledger.begin(message(id), true);
  await ledger.finish(result(id, { text: "x".repeat(length) }));
  if (isDelivered) await ledger.delivered(id);
};

test("many large results leave room for others", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  for (let at = 0; at < 220; at++) await ended(ledger, `a${at}`, 150_000, true);
  for (let at = 0; at < 12; at++) await ended(ledger, `b${at}`, 900_000, false);
  expect(JSON.stringify([...kept.kept]).length).toBeLessThan(7_000_000);
  await kept.set({ tasks: "x".repeat(1_000_000) });
  // None that was not delivered is forgotten, though of some only the end is left.
  const next = new Ledger(area(kept));
  expect((await next.undelivered()).map((entry) => entry.result?.status)).toEqual(Array(12).fill("success"));
});

test("if the storage is full, the oldest delivered result makes room", async () => {
  const kept = storage(30_000);
  const ledger = new Ledger(area(kept));
  for (let at = 0; at < 9; at++) await ended(ledger, `a${at}`, 5000, true);
  expect(kept.kept.has("action:a0")).toBe(false);
  expect((await new Ledger(area(kept)).find("a8"))?.result).toEqual(result("a8", { text: "x".repeat(5000) }));
});

test("a forgotten action is unknown to later workers; a restarted one is not forgotten", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  await ledger.begin(message("again"), true);
  const before = (await ledger.find("again"))!;
  await ledger.begin(message("again"), true);
  await ledger.forget(before);
  expect(kept.kept.has("action:again")).toBe(true);
  await ledger.forget((await ledger.find("again"))!);
  expect(await new Ledger(area(kept)).find("again")).toBeUndefined();
});
