/** Takeover: a person's input takes over, our own never does, and it is handed back explicitly. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/clicks"));
});
afterAll(() => world.close());
beforeEach(async () => void (world.server.received.all.length = 0));

const isAbout = (type: string) => (message: Record<string, any>) => message["type"] === type && message["taskId"] === world.taskId;
const heard = async (type: string) => await world.server.received.first(isAbout(type));

test("the agent's own actions don't take over", async () => {
  await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Mover") } });
  await world.act({ browser_press_key: { tabId, key: "Shift+Tab" } });
  await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/frames` } });
  await world.act({ browser_wait_for_loaded: { tabId } });
  await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Button cross") } });
  await world.act({ browser_type: { tabId, clickId: await world.find(tabId, "Field cross"), text: "typed keys" } });
  await world.go(tabId, page, "/clicks");
  expect(world.server.received.all.filter(isAbout("task_takeover"))).toEqual([]);
});

for (const [what, touch] of [
  ["a click", () => page.mouse.click(700, 500)],
  ["a key", () => page.keyboard.press("x")],
] as [string, () => Promise<void>][]) {
  test(`${what} by hand takes over, until it is handed back`, async () => {
    await world.index(tabId);
    await touch();
    expect(await heard("task_takeover")).toMatchObject({ v: 1, reason: "user_input" });
    const popup = await world.extensionPage("popup");
    await popup.getByText("paused, you have taken over").waitFor();
    await popup.getByRole("button", { name: "Hand back" }).click();
    await heard("task_handback");
    await popup.getByText("working", { exact: true }).waitFor();
    await popup.close();
    await page.bringToFront();
    expect(await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Mover") } })).toMatchObject({ clicked: true });
  });
}

test("actions that the server sent before it knew of a takeover are not done, unless they only read", async () => {
  const clickId = await world.find(tabId, "Mover");
  await page.evaluate("log.length = 0");
  world.server.unheard = "task_takeover";
  await page.mouse.click(700, 500);
  await heard("task_takeover");
  const refused = await world.refusal({ browser_click: { tabId, clickId } });
  expect(refused).toMatchObject({ code: "PLUGIN_ERROR", retryable: true, details: { takeover: true } });
  expect((await world.index(tabId)).length).toBeGreaterThan(5);
  expect(await page.evaluate("log.filter((line) => line.startsWith('mover'))")).toEqual([]);
  world.server.unheard = "";
  const popup = await world.extensionPage("popup");
  await popup.getByRole("button", { name: "Hand back" }).click();
  await heard("task_handback");
  await popup.close();
  await page.bringToFront();
  expect(await world.act({ browser_click: { tabId, clickId } })).toMatchObject({ clicked: true });
});

test("the popup takes over as well; work that the server sends after it heard of it means that it was handed back there", async () => {
  const popup = await world.extensionPage("popup");
  await popup.getByRole("button", { name: "Take over" }).click();
  expect(await heard("task_takeover")).toMatchObject({ reason: "popup" });
  await popup.getByRole("button", { name: "Hand back" }).waitFor();
  const worker = await world.worker();
  await expect.poll(() => worker.evaluate(async () => ((await chrome.storage.session.get<any>("tasks")).tasks[0] as { isTakeoverKnown?: boolean }).isTakeoverKnown)).toBe(true);
  expect(await world.act({ browser_hover: { tabId, clickId: await world.find(tabId, "Mover") } })).toMatchObject({ hovered: true });
  await popup.getByRole("button", { name: "Take over" }).waitFor();
  await popup.close();
});

/** The frame's text; its shadow tree is closed, but an extension's own world can read it. */
const frameSays = async () =>
  await (await world.worker()).evaluate(async (id) => {
    const [answer] = await chrome.scripting.executeScript({
      target: { tabId: id },
      func: () => {
        const host = document.querySelector<HTMLElement>("[data-handrail-badge]");
        return host ? (chrome.dom.openOrClosedShadowRoot(host)?.querySelector(".text")?.textContent ?? "") : "no frame";
      },
    });
    return answer!.result;
  }, tabId);
const tell = async (status: string, taskId = world.taskId) => await world.server.send({ v: 1, type: "task_status", id: "s", taskId, status });
const held = async (status: string) => (await world.server.received.next((message) => message["type"] === "full_state_sync" && message["tasks"][0]?.status === status))["tasks"];

test("what a person does in the console shows in the page and in the popup at once, and pauses what acts", async () => {
  const clickId = await world.find(tabId, "Mover");
  const popup = await world.extensionPage("popup");
  let state = held("takeover");
  expect(await tell("takeover")).toEqual({ ok: true });
  await popup.getByText("paused, you have taken over").waitFor();
  await expect.poll(frameSays).toBe("Paused: you have taken over");
  expect(await state).toEqual([{ taskId: world.taskId, status: "takeover", tabIds: expect.arrayContaining([tabId]) }]);
  state = held("running");
  await tell("ongoing");
  await popup.getByText("working", { exact: true }).waitFor();
  await expect.poll(frameSays).toBe("An agent is working here");
  expect(await state).toMatchObject([{ taskId: world.taskId, status: "running" }]);
  expect(world.server.received.all.filter(isAbout("task_takeover"))).toEqual([]);
  await popup.close();
  await page.bringToFront();
  expect(await world.act({ browser_click: { tabId, clickId } })).toMatchObject({ clicked: true });
});

test("reading during a takeover that a person allows doesn't end it, and the frame says that the agent may read", async () => {
  const clickId = await world.find(tabId, "Mover");
  await tell("takeover");
  await expect.poll(frameSays).toBe("Paused: you have taken over");
  await world.server.send({ v: 1, type: "task_status", id: "s", taskId: world.taskId, status: "takeover", reading: true });
  await expect.poll(frameSays).toBe("Paused: you have taken over; the agent may read");
  expect((await world.act({ browser_page: { tabId } }))["lines"].length).toBeGreaterThan(3);
  expect(await frameSays()).toBe("Paused: you have taken over; the agent may read");
  expect((await (await world.worker()).evaluate(async () => (await chrome.storage.session.get<any>("tasks")).tasks[0].status))).toBe("takeover");
  await tell("ongoing");
  await expect.poll(frameSays).toBe("An agent is working here");
  expect(await world.act({ browser_click: { tabId, clickId } })).toMatchObject({ clicked: true });
});

test("work that came before a takeover in the console does not end it", async () => {
  const clickId = await world.find(tabId, "Mover");
  const working = world.server.act(world.taskId, { browser_hover: { tabId, clickId } });
  await tell("takeover");
  await working;
  await expect.poll(frameSays).toBe("Paused: you have taken over");
  await tell("ongoing");
  await expect.poll(frameSays).toBe("An agent is working here");
});

test("a takeover that the server has not heard of is not undone by what it says of the task before", async () => {
  world.server.unheard = "task_takeover";
  await page.mouse.click(700, 500);
  await heard("task_takeover");
  await tell("ongoing");
  // Messages are processed in order, so with this answer the earlier one was.
  expect(await world.refusal({ browser_scroll: { tabId } })).toMatchObject({ details: { takeover: true } });
  expect(await frameSays()).toBe("Paused: you have taken over");
  world.server.unheard = "";
  await tell("takeover");
  await tell("ongoing");
  await expect.poll(frameSays).toBe("An agent is working here");
});

test("a server that was away hears of a takeover again, and that it was told before", async () => {
  await page.mouse.click(700, 500);
  await expect.poll(async () => await (await world.worker()).evaluate(async () => (await chrome.storage.session.get<any>("tasks")).tasks[0].isTakeoverKnown)).toBe(true);
  await world.server.stop();
  const again = world.server.received.next((message) => isAbout("task_takeover")(message) && message["again"] === true);
  await world.server.start();
  await again;
  await tell("ongoing");
  await expect.poll(frameSays).toBe("An agent is working here");
});

test("the frame around the page is seen but never indexed, clicked or photographed", async () => {
  await page.bringToFront();
  const host = page.locator("[data-handrail-badge]");
  await expect.poll(() => host.count()).toBe(1);
  const names = (await world.index(tabId)).map((one) => one["name"]);
  expect(names).not.toContain("Stop");
  // A link right below the stop button is still clicked.
  await page.evaluate(() => {
    document.body.insertAdjacentHTML("beforeend", '<button id="below" style="position:fixed;right:0;bottom:0;width:200px;height:60px">Below</button>');
    document.getElementById("below")!.onclick = () => (document.title = "below");
  });
  await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Below") } });
  await expect.poll(() => page.title()).toBe("below");
  const { artifactId } = await world.act({ browser_screenshot: { tabId } });
  const border = await page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    canvas.drawImage(image, 0, 0);
    return [...canvas.getImageData(1, 300, 1, 1).data.slice(0, 3)];
  }, world.server.artifacts.get(artifactId)!.body.toString("base64"));
  expect(border).toEqual([255, 255, 255]);
});

test("the stop button of the frame stops the task with one click", async () => {
  await page.evaluate(() => document.getElementById("below")?.remove());
  const size = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  await page.mouse.click(size.width - 40, size.height - 28);
  await heard("task_stopped");
  await page.locator("[data-handrail-badge]").waitFor({ state: "detached" });
  expect(await world.refusal({ browser_dom_index: { tabId } })).toMatchObject({ code: "INVALID_TASK_TAB" });
  expect(world.server.received.all.filter(isAbout("task_takeover"))).toEqual([]);
});

test("a task that is stopped in the console leaves its tabs", async () => {
  const { tabId: other, page: opened } = await world.visit("/form");
  await opened.locator("[data-handrail-badge]").waitFor({ state: "attached" });
  await tell("completed");
  await opened.locator("[data-handrail-badge]").waitFor({ state: "detached" });
  expect(await world.refusal({ browser_dom_index: { tabId: other } })).toMatchObject({ code: "INVALID_TASK_TAB" });
  expect(world.server.received.all.filter(isAbout("task_stopped"))).toEqual([]);
  expect(await world.server.send({ v: 1, type: "task_status", taskId: 5 })).toMatchObject({ ok: false, error: { code: "BAD_REQUEST" } });
});

/** Tabs that the extension debugs although they belong to no task. */
const orphans = async () =>
  await (await world.worker()).evaluate(async () => {
    const owned = (await chrome.storage.session.get<any>("tasks")).tasks.flatMap((task: { tabs: number[] }) => task.tabs);
    const free = (await chrome.tabs.query({})).map((tab) => tab.id!).filter((id) => !owned.includes(id));
    const debugged = await Promise.all(free.map((id) => chrome.debugger.sendCommand({ tabId: id }, "Page.enable").then(() => true, () => false)));
    return free.filter((_, at) => debugged[at]);
  });

test("a task that is begun anew while it is stopped keeps its new tab, and lets go of the old one", async () => {
  const url = `${world.sites.here}/form`;
  for (const reuseExistingTab of [false, true, false, true]) {
    await world.act({ task_start: { url } });
    const stopping = tell("completed");
    const { tabId: fresh } = await world.act({ task_start: { url, reuseExistingTab } });
    await stopping;
    expect((await world.index(fresh)).length).toBeGreaterThan(3);
    expect(await world.act({ browser_debugger_attach: { tabId: fresh } })).toMatchObject({ attached: true });
    await expect.poll(orphans).toEqual([]);
    await tell("completed");
  }
});

test("a task that is stopped while it begins leaves no tab that is debugged", async () => {
  for (let time = 0; time < 5; time++) {
    const starting = world.server.act(world.taskId, { task_start: { url: `${world.sites.here}/form` } });
    for (let later = 0; later < time; later++) await world.server.send({ v: 1, type: "task_status", taskId: "another", status: "ongoing" });
    await tell("completed");
    await starting;
    await expect.poll(orphans).toEqual([]);
  }
  await tell("completed");
});
