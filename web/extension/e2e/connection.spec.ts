/** The wire: pairing, greeting, reconnecting, and doing each action exactly once. */

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { PeerServer } from "./server";
import { World } from "./world";

let world: World;
beforeAll(async () => void (world = await World.open({ isPaired: false })));
afterAll(() => world.close());
const extra: PeerServer[] = [];
afterEach(async () => void (await Promise.all(extra.splice(0).map((one) => one.stop()))));

/** A page's postMessage and the answer; the click provides a user activation. */
async function say(page: Page, message: Record<string, unknown>): Promise<Record<string, any>> {
  return await page.evaluate(
    async (message) =>
      await new Promise<Record<string, any>>((resolve) => {
        addEventListener("message", function hear(event) {
          if (event.data.type !== `${message["type"]}_result` || event.data.requestId !== message["requestId"]) return;
          removeEventListener("message", hear);
          resolve(event.data.payload);
        });
        postMessage(message, "*");
      }),
    { requestId: randomUUID(), ...message } as Record<string, unknown>,
  );
}

const isType = (type: string) => (message: Record<string, any>) => message["type"] === type;
const isEvent = (eventType: string) => (message: Record<string, any>) => message["type"] === "tab_event" && message["eventType"] === eventType;

test("the id is the one that servers know", async () => {
  const { extensionId } = JSON.parse(readFileSync(new URL("../id.json", import.meta.url), "utf8")) as { extensionId: string };
  expect(await world.extensionId()).toBe(extensionId);
});

test("a console pairs by one click and a yes in the extension's own window, and not without either", async () => {
  const page = await world.context.newPage();
  const offer = { type: "mimo/pair", code: world.server.newCode(), server: world.server.url };
  await page.goto(`${world.server.url}/#${offer.code}`);
  await expect.poll(() => page.title()).toContain("pairing needs a click");
  await page.click("#pair");
  expect(await say(page, { ...offer, server: "http://127.0.0.1:9" })).toMatchObject({ ok: false });
  expect(await say(page, { ...offer, code: "wrong" })).toMatchObject({ ok: false, pending: true });
  let asking = await world.asking("pair");
  await asking.getByRole("alertdialog").getByText(world.server.url).waitFor();
  await asking.getByRole("button", { name: "Pair", exact: true }).click();
  await asking.getByRole("alert").getByText("wrong code").waitFor();
  let closed = asking.waitForEvent("close");
  await asking.getByRole("button", { name: "Don't pair" }).click();
  await closed;
  expect(world.server.isConnected).toBe(false);
  // Closing the window means no as well.
  await page.click("#pair");
  expect(await say(page, offer)).toMatchObject({ pending: true });
  asking = await world.asking("pair");
  await asking.getByRole("alertdialog").waitFor();
  const popup = await world.extensionPage("popup");
  await popup.getByRole("alertdialog").waitFor();
  await asking.close();
  await popup.getByRole("alertdialog").waitFor({ state: "detached" });
  await popup.close();
  await page.click("#pair");
  expect(await say(page, offer)).toMatchObject({ pending: true });
  asking = await world.asking("pair");
  closed = asking.waitForEvent("close");
  await asking.getByRole("button", { name: "Pair", exact: true }).click();
  await closed;
  await world.server.connected();
  // Once paired, this server may renew its token without a question.
  await page.click("#pair");
  const before = { ...Object.fromEntries(world.server.tokens) };
  const again = world.server.received.next(isType("activate_extension"));
  expect(await say(page, { ...offer, code: world.server.newCode() })).toMatchObject({ ok: true, server: world.server.url });
  const { clientId } = await again;
  expect(world.server.tokens.get(clientId as string)).not.toBe(before[clientId as string]);
  await page.close();
});

test("the greeting, the state and the registration carry what the contract names", async () => {
  const hello = await world.server.received.first(isType("activate_extension"));
  expect(hello).toMatchObject({ v: 1, clientId: expect.stringMatching(/^plugin-/), ua: expect.stringContaining("Mozilla"), version: "0.2.0", browserName: expect.any(String), allowOtherClient: false });
  const state = await world.server.received.first(isType("full_state_sync"));
  expect(state).toMatchObject({ activeWindowId: expect.any(Number), activeTabId: expect.any(Number), tabGroups: [], timestamp: expect.any(Number) });
  expect(state["windows"][0]).toMatchObject({ windowId: expect.any(Number), focused: expect.any(Boolean), type: "normal" });
  expect(state["tabs"][0]).toMatchObject({ tabId: expect.any(Number), windowId: expect.any(Number), active: expect.any(Boolean), pinned: false, hidden: expect.any(Boolean), index: 0 });
  const isCurrent = (one: Record<string, any>): boolean => one["authorization"] === `Bearer ${world.server.tokens.get(hello["clientId"] as string)}`;
  await expect.poll(() => world.server.registered.some(isCurrent)).toBe(true);
  expect(world.server.registered.find(isCurrent)).toMatchObject({ clientId: hello["clientId"], extensionId: await world.extensionId(), extensionName: "handrail" });
});

test("pages of this machine can ask who is here, by the old names too; other pages get no answer", async () => {
  const page = await world.context.newPage();
  await page.goto(world.server.url);
  const expected = { ok: true, extensionId: await world.extensionId(), extensionName: "handrail", version: "0.2.0", clientId: expect.any(String), socketConnected: true };
  for (const type of ["mimo/get_plugin_client_info", "mimoim/get_bion_client_info"]) expect(await say(page, { type })).toEqual(expected);
  // Another local server, which isn't handrail.
  await page.goto(`${world.sites.here}/form`);
  expect(await say(page, { type: "mimo/get_plugin_client_info" })).toEqual({ ok: false, error: "origin not allowed" });
  await page.close();
});

test("another server is taken only when a person says so", async () => {
  const other = await new PeerServer().start();
  extra.push(other);
  const page = await world.context.newPage();
  await page.goto(other.url);
  const offer = (server: PeerServer) => ({ type: "mimo/pair", code: server.newCode(), server: server.url });
  await page.click("#pair");
  expect(await say(page, offer(other))).toMatchObject({ ok: false, pending: true });
  const asking = await world.asking("pair");
  const question = asking.getByRole("alertdialog");
  for (const address of [other.url, world.server.url]) await question.getByText(address).waitFor();
  // A second page can't replace the question that is being read.
  const third = await new PeerServer().start();
  extra.push(third);
  await page.goto(third.url);
  await page.click("#pair");
  expect(await say(page, offer(third))).toMatchObject({ ok: false, error: expect.stringContaining("another server") });
  const options = await world.extensionPage("options");
  await options.getByRole("alertdialog").getByText(other.url).waitFor();
  const closed = asking.waitForEvent("close");
  await question.getByRole("button", { name: "Keep as it is" }).click();
  await closed;
  await options.getByRole("alertdialog").waitFor({ state: "detached" });
  expect(other.isConnected).toBe(false);
  expect(world.server.isConnected).toBe(true);
  await options.close();
  await page.close();
});

test("tabs, windows and groups are reported as they change", async () => {
  const { received } = world.server;
  const page = await world.context.newPage();
  const { tab } = await received.first(isEvent("tab_created"));
  expect(tab).toMatchObject({ tabId: expect.any(Number), index: expect.any(Number) });
  await page.goto(`${world.sites.here}/form`);
  await received.first((message) => isEvent("tab_updated")(message) && message["tab"].title === "Form" && message["tab"].status === "complete");
  const worker = await world.worker();
  const tabId = (await worker.evaluate(async () => (await chrome.tabs.query({ title: "Form" }))[0]!.id))!;
  await received.first((message) => isEvent("tab_activated")(message) && message["tabId"] === tabId);
  const groupId = await worker.evaluate(async (id) => await chrome.tabs.group({ tabIds: [id] }), tabId);
  await received.first((message) => isEvent("tab_group_created")(message) && message["tabGroup"].id === groupId);
  await worker.evaluate(async (id) => void (await chrome.tabGroups.update(id, { title: "Mine" })), groupId);
  await received.first((message) => isEvent("tab_group_updated")(message) && message["tabGroup"].title === "Mine");
  await worker.evaluate(async (id) => void (await chrome.tabGroups.move(id, { index: 0 })), groupId);
  await received.first(isEvent("tab_group_moved"));
  const windowId = (await worker.evaluate(async () => (await chrome.windows.create({ url: "about:blank" }))!.id))!;
  await received.first((message) => isEvent("window_created")(message) && message["window"].windowId === windowId);
  await received.first((message) => isEvent("window_focused")(message) && message["windowId"] === windowId);
  await worker.evaluate(async (id) => await chrome.windows.remove(id), windowId);
  await received.first((message) => isEvent("window_removed")(message) && message["windowId"] === windowId);
  await page.close();
  await received.first((message) => isEvent("tab_removed")(message) && message["tabId"] === tabId);
  await received.first((message) => isEvent("tab_group_removed")(message) && message["groupId"] === groupId);
});

test("malformed messages are acked with BAD_REQUEST", async () => {
  for (const message of [{ type: "browser_action" }, { type: "nonsense" }, { v: 2, type: "browser_action", id: "a", taskId: "t", action: {} }, { v: 1, type: "browser_action", id: "a", taskId: "t", action: [] }]) {
    expect(await world.server.send(message)).toMatchObject({ ok: false, error: { code: "BAD_REQUEST", message: expect.any(String) } });
  }
});

test("an action that comes twice is done once and answered with the same result", async () => {
  const { tabId, page } = await world.visit("/clicks");
  const clickId = await world.find(tabId, "Mover");
  const id = `act-${randomUUID()}`;
  const message = { id, traceId: "trace-7" };
  const first = await world.server.act(world.taskId, { browser_click: { tabId, clickId } }, message);
  const again = await world.server.act(world.taskId, { browser_click: { tabId, clickId } }, message);
  expect(again).toEqual(first);
  expect(first).toMatchObject({ v: 1, actionId: id, taskId: world.taskId, status: "success", traceId: "trace-7" });
  await expect.poll(() => page.evaluate("log")).toEqual(["mover true"]);
});

test("a server of another version says that the extension has to be updated, and the popup shows it", async () => {
  await world.server.stop();
  world.server.refusal = "Update the handrail extension: it was built for another version of handrail than this server's.";
  await world.server.start();
  const popup = await world.extensionPage("popup");
  await popup.getByText("Update the handrail extension").waitFor();
  world.server.refusal = null;
  await popup.getByText("Connected", { exact: true }).waitFor();
  await popup.close();
  await world.server.connected();
});

test("a server that was away is found again, and hears the result that it missed", async () => {
  const { tabId, page } = await world.visit("/late");
  const id = `act-${randomUUID()}`;
  await world.server.send({ v: 1, type: "browser_action", id, taskId: world.taskId, action: { browser_wait_for: { tabId, text: "The list is here" } } });
  await world.server.stop();
  await page.evaluate("arrive()");
  await page.getByText("The list is here").waitFor();
  const result = world.server.received.next((message) => message["actionId"] === id);
  await world.server.start();
  expect(await result).toMatchObject({ status: "success", result: { met: "text" } });
  expect((await world.act({ browser_tabs: {} }))["tabs"].length).toBeGreaterThan(0);
});

test("a killed worker comes back with its tasks, its numbers, its debugger and its memory of what was done", async () => {
  const { tabId, page } = await world.visit("/clicks");
  const clickId = await world.find(tabId, "Mover");
  const id = `act-${randomUUID()}`;
  const first = await world.server.act(world.taskId, { browser_click: { tabId, clickId } }, { id });
  await stopWorker();
  expect(await world.server.act(world.taskId, { browser_click: { tabId, clickId } }, { id })).toEqual(first);
  expect(await world.act({ browser_click: { tabId, clickId } })).toMatchObject({ clicked: true, strategy: "cdp_mouse" });
  await expect.poll(() => page.evaluate("log")).toEqual(["mover true", "mover true"]);
  // The debugger outlived the worker and still handles dialogs.
  expect(await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Alert") } })).toMatchObject({ changes: { dialog: { type: "alert" } } });
});

test("an action that a kill interrupts is answered: as unknown when it can't be repeated", async () => {
  const { tabId } = await world.visit("/late");
  const waiting = `act-${randomUUID()}`;
  const answer = world.server.received.next((message) => message["actionId"] === waiting);
  await world.server.send({ v: 1, type: "browser_action", id: waiting, taskId: world.taskId, action: { browser_wait_for: { tabId, text: "never here" }, browser_scroll: { tabId } } });
  const worker = await world.worker();
  await expect.poll(() => worker.evaluate(async (key) => key in (await chrome.storage.session.get(key)), `action:${waiting}`)).toBe(true);
  await stopWorker();
  expect(await answer).toMatchObject({ status: "error", error: { code: "PLUGIN_ERROR", retryable: false, details: { interrupted: true } } });
});

/** Ends the worker as Chrome does after 30 s without events; an event, here a new tab, restarts it. */
async function stopWorker(): Promise<void> {
  const browser = await world.context.browser()?.newBrowserCDPSession().catch(() => null);
  const page = await world.context.newPage();
  const session = browser ?? (await world.context.newCDPSession(page));
  const { targetInfos } = (await session.send("Target.getTargets")) as { targetInfos: { targetId: string; type: string }[] };
  const target = targetInfos.find((one) => one.type === "service_worker")!;
  const from = world.server.received.all.length;
  const { losses } = world.server;
  await session.send("Target.closeTarget", { targetId: target.targetId });
  await expect.poll(() => world.server.losses).toBeGreaterThan(losses);
  await page.goto("about:blank");
  await page.close();
  await world.server.received.first(isType("activate_extension"), from);
}
