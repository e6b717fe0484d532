/** The wheel: a person's hand on the page takes it, our own input never does, and it is handed back on purpose. */

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

test("what the agent does is no takeover", async () => {
  await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Mover") } });
  await world.act({ browser_press_key: { tabId, key: "Shift+Tab" } });
  await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/frames` } });
  await world.act({ browser_wait_for_loaded: { tabId } });
  await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Button cross") } });
  await world.act({ browser_type: { tabId, clickId: await world.find(tabId, "Field cross"), text: "typed keys" } });
  await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/clicks` } });
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
    await popup.getByText("paused, you have the wheel").waitFor();
    await popup.getByRole("button", { name: "Hand back" }).click();
    await heard("task_handback");
    await popup.getByText("working", { exact: true }).waitFor();
    await popup.close();
    await page.bringToFront();
    expect(await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Mover") } })).toMatchObject({ clicked: true });
  });
}

test("what the server sent before it knew of a takeover is not done, unless it only looks", async () => {
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
  expect(await page.title()).toBe("below");
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
