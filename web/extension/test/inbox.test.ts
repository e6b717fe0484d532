import { beforeEach, expect, test, vi } from "vitest";
import type { Ack } from "../src/protocol";
import { Refused } from "../src/worker/refused";

/** Chrome's storage, the one thing of Chrome that these need; `isBroken` as on a full or failing disk. */
class Area {
  readonly kept = new Map<string, unknown>();
  isBroken = false;
  get = async (keys: string | string[] | null) => {
    if (this.isBroken) throw new Error("the storage is broken");
    const wanted = keys === null ? [...this.kept.keys()] : [keys].flat();
    return structuredClone(Object.fromEntries(wanted.filter((key) => this.kept.has(key)).map((key) => [key, this.kept.get(key)])));
  };
  set = async (items: Record<string, unknown>) => {
    if (this.isBroken) throw new Error("the storage is broken");
    for (const [key, value] of Object.entries(items)) this.kept.set(key, structuredClone(value));
  };
  remove = async (keys: string[]) => keys.forEach((key) => this.kept.delete(key));
}

let session: Area;
let local: Area;
let sent: Record<string, any>[];
let emit: (message: Record<string, unknown>) => Promise<void>;
const noTakeover = { applyStatus: async () => undefined, noticeWork: async () => undefined };

beforeEach(() => {
  vi.resetModules();
  [session, local, sent] = [new Area(), new Area(), []];
  emit = async (message) => void sent.push(message);
  const tabs = { query: async () => [], onUpdated: { addListener: () => undefined }, onRemoved: { addListener: () => undefined } };
  vi.stubGlobal("chrome", { storage: { session, local }, tabs });
});

/** A worker that starts on what the last one left. */
async function worker(takeover: Pick<typeof noTakeover, "applyStatus" | "noticeWork"> = noTakeover) {
  vi.resetModules();
  const { Inbox } = await import("../src/worker/inbox");
  const found = await import("../src/worker/refused");
  return { inbox: new Inbox((message) => emit(message), takeover, { open: async () => undefined, close: async () => undefined }), Refusal: found.Refused as typeof Refused };
}
const action = (id: string, actions: Record<string, object> = { browser_tabs: {} }) => ({ v: 1, type: "browser_action", id, taskId: "t", clientId: "c", action: actions });
const answersTo = (id: string) => sent.filter((message) => message["actionId"] === id);
const left = (id: string, names: string[]) => session.kept.set(`action:${id}`, { actionId: id, taskId: "t", names, isDelivered: false, isStored: true });

test("an interrupted repeatable action is reported, and done when the server asks again by the same id", async () => {
  left("look", ["browser_tabs"]);
  const { inbox } = await worker();
  await inbox.catchUp();
  expect(answersTo("look")).toMatchObject([{ status: "error", error: { retryable: true, details: { interrupted: true } } }]);
  expect(inbox.receive(action("look"))).toEqual({ ok: true } satisfies Ack);
  await vi.waitFor(() => expect(answersTo("look").at(-1)).toMatchObject({ status: "success", result: { tabs: [] } }));
  await inbox.catchUp();
  expect(answersTo("look")).toHaveLength(2);
});

test("an interrupted action that can't be repeated stays interrupted, however often it is asked for", async () => {
  left("click", ["browser_click"]);
  const { inbox } = await worker();
  await inbox.catchUp();
  inbox.receive(action("click", { browser_click: { tabId: 1, clickId: "1" } }));
  await vi.waitFor(() => expect(answersTo("click")).toHaveLength(2));
  for (const answer of answersTo("click")) expect(answer).toMatchObject({ status: "error", error: { retryable: false, details: { interrupted: true } } });
});

test("a refused result is not sent again; an unacknowledged one is", async () => {
  const { inbox, Refusal } = await worker();
  emit = async (message) => {
    sent.push(message);
    throw message["actionId"] === "refused" ? new Refusal("nobody waits for it") : new Error("not connected");
  };
  for (const id of ["refused", "unheard"]) inbox.receive(action(id));
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  emit = async (message) => void sent.push(message);
  await inbox.catchUp();
  expect(sent.slice(2).map((message) => message["actionId"])).toEqual(["unheard"]);
});

test("an answer is sent even if the task can't be stored or the storage can't be read", async () => {
  const failing = { ...noTakeover, noticeWork: async () => Promise.reject(new Error("no room")) };
  const { inbox } = await worker(failing);
  inbox.receive(action("arrival", { browser_click: { tabId: 1, clickId: "1" } }));
  await vi.waitFor(() => expect(answersTo("arrival")).toMatchObject([{ clientId: expect.stringMatching(/^plugin-/), status: "error", error: { code: "PLUGIN_ERROR", message: "no room" } }]));
  const { inbox: other } = await worker();
  local.isBroken = true;
  other.receive(action("stranger"));
  await vi.waitFor(() => expect(answersTo("stranger")).toMatchObject([{ clientId: "c", status: "error", error: { code: "PLUGIN_ERROR" } }]));
  local.isBroken = false;
  other.receive(action("known"));
  await vi.waitFor(() => expect(answersTo("known")).toMatchObject([{ clientId: expect.stringMatching(/^plugin-/), status: "success" }]));
});
