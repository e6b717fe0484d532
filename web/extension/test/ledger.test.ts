import { expect, test } from "vitest";
import type { ActionResult, BrowserAction } from "../src/protocol";
import { Ledger } from "../src/worker/ledger";

/** Chrome's session storage, as far as the ledger knows it. */
function storage() {
  const kept = new Map<string, unknown>();
  return {
    kept,
    get: async () => structuredClone(Object.fromEntries(kept)),
    set: async (items: Record<string, unknown>) => void Object.entries(items).forEach(([key, value]) => kept.set(key, structuredClone(value))),
    remove: async (keys: string[]) => void keys.forEach((key) => kept.delete(key)),
  };
}
const area = (one: ReturnType<typeof storage>) => one as unknown as chrome.storage.StorageArea;
const message = (id: string): BrowserAction => ({ type: "browser_action", id, taskId: "t", action: { browser_click: {} } });
const result = (actionId: string, payload: Record<string, unknown> = {}): ActionResult => ({ v: 1, type: "browser_action_result", actionId, taskId: "t", clientId: "c", status: "success", result: payload });

test("the next worker knows what the last one began, ended and delivered", async () => {
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

test("old results make room, but none that was not delivered", async () => {
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

test("a large result that was delivered keeps only its end", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  await ledger.begin(message("large"), true);
  await ledger.finish(result("large", { text: "x".repeat(300_000) }));
  await ledger.delivered("large");
  expect(JSON.stringify([...kept.kept.values()]).length).toBeLessThan(1000);
});

test("what may be done again is stored only once it takes long", async () => {
  const kept = storage();
  const ledger = new Ledger(area(kept));
  for (const id of ["quick", "long"]) await ledger.begin(message(id), false);
  await ledger.store("long");
  for (const id of ["quick", "long"]) await ledger.finish(result(id));
  expect([...kept.kept.keys()]).toEqual(["action:long"]);
  expect((await ledger.undelivered()).map((entry) => entry.actionId)).toEqual(["quick", "long"]);
});
