/** Clicks: trusted, on the intended element, and with a report of what they changed. */

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
beforeEach(async () => void (await world.go(tabId, page, "/clicks")));

const click = async (name: string, more: Record<string, unknown> = {}) => await world.act({ browser_click: { tabId, clickId: await world.find(tabId, name), ...more } });
const refused = async (name: string) => await world.refusal({ browser_click: { tabId, clickId: await world.find(tabId, name) } });

test("a covered element is refused with what covers it; once that is gone the click lands", async () => {
  expect(await refused("Covered")).toMatchObject({ code: "INVALID_TARGET", details: { coveredBy: expect.stringContaining("div#cover") } });
  expect(await page.evaluate("log")).toEqual([]);
  await click("Accept all");
  expect(await click("Covered")).toMatchObject({ clicked: true, strategy: "cdp_mouse" });
  await expect.poll(() => page.evaluate("log")).toEqual(["accept true", "covered true"]);
});

test("a click on an element avoids what acts on its own in its middle", async () => {
  await page.evaluate(() => {
    document.body.innerHTML = '<div id="card" role="button" tabindex="0" aria-label="Card" style="width:300px;height:80px;display:grid;place-items:center;border:1px solid"><button>Inner</button></div>';
    document.getElementById("card")!.onclick = ({ target }) => (document.title = (target as Element).id || "inner");
  });
  await click("Card");
  await expect.poll(() => page.title()).toBe("card");
  await click("Inner");
  await expect.poll(() => page.title()).toBe("inner");
});

test("an element is clicked while it is as shown, and refused once it has changed", async () => {
  const clickId = await world.find(tabId, "Far away");
  const { seen } = await world.act({ browser_screenshot: { tabId, clickId } });
  const { seen: page0 } = await world.act({ browser_screenshot: { tabId } });
  expect(await world.act({ browser_click: { tabId, clickId, expected: seen } })).toMatchObject({ clicked: true });
  expect(await world.act({ browser_scroll: { tabId, direction: "up", expected: page0 } })).toMatchObject({ scrolled: true });
  await page.evaluate(() => [...document.querySelectorAll("button")].find((one) => one.textContent === "Far away")!.replaceChildren("Delete all"));
  expect(await world.refusal({ browser_click: { tabId, clickId, expected: seen } })).toMatchObject({ code: "INVALID_TARGET", details: { changed: true } });
  await expect.poll(() => page.evaluate("log")).toEqual(["far true"]);
});

test("a partly covered element is clicked at a free point", async () => {
  await click("Partly covered");
  await expect.poll(() => page.evaluate("log")).toEqual(["partly true"]);
});

test("an element that takes no clicks says so", async () => {
  expect(await refused("No events")).toMatchObject({ code: "INVALID_TARGET", message: expect.stringContaining("pointer-events") });
});

test("a moving element is waited for, and one that never rests is refused", async () => {
  const mover = await world.find(tabId, "Mover");
  const restless = await world.find(tabId, "Restless");
  await page.evaluate(() => document.getElementById("mover")!.classList.add("go"));
  await world.act({ browser_click: { tabId, clickId: mover } });
  await expect.poll(() => page.evaluate("log")).toEqual(["mover true"]);
  await page.evaluate("startRestless()");
  expect(await world.refusal({ browser_click: { tabId, clickId: restless, timeoutMs: 2000 } })).toMatchObject({ code: "INVALID_TARGET", details: { moving: true } });
});

test("an element that is out of view or inside a scrolled list is scrolled into view first", async () => {
  await click("Far away");
  await click("In the list");
  await expect.poll(() => page.evaluate("log")).toEqual(["far true", "listed true"]);
});

test("dialogs are reported and dismissed, or answered as asked; nothing hangs", async () => {
  expect(await click("Alert")).toMatchObject({ changes: { dialog: { type: "alert", message: "Hello" } } });
  expect(await click("Confirm")).toMatchObject({ changes: { dialog: { type: "confirm", message: "Sure?" } } });
  await expect.poll(() => page.title()).toBe("confirm false");
  await click("Confirm", { dialog: "accept" });
  await expect.poll(() => page.title()).toBe("confirm true");
  await click("Prompt", { dialog: "accept", promptText: "Ada" });
  await expect.poll(() => page.title()).toBe("prompt Ada");
  // A dialog that opens between two actions.
  await page.evaluate(() => void setTimeout(() => alert("Surprise"), 0));
  expect((await world.act({ browser_dom_index: { tabId } }))["total"]).toBeGreaterThan(5);
});

test("a page that asks to stay open is left anyway", async () => {
  await click("Keep me");
  expect(await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/form` } })).toMatchObject({ navigated: true, url: `${world.sites.here}/form` });
});

test("tabs and windows that a page opens join the task and are reported", async () => {
  for (const name of ["New tab", "Window"]) {
    const { changes } = await click(name);
    expect(changes.newTab).toEqual(expect.any(Number));
    const { tabs } = await world.act({ browser_tabs: {} });
    expect(tabs.map((tab: { tabId: number }) => tab.tabId)).toContain(changes.newTab);
    await world.act({ browser_wait_for_loaded: { tabId: changes.newTab } });
    const inner = await world.index(changes.newTab);
    await world.act({ browser_click: { tabId: changes.newTab, clickId: inner[0]!["clickId"] } });
    const close = await world.find(changes.newTab, "Close me");
    if (name === "New tab") await world.act({ browser_tab_close: { tabId: changes.newTab } });
    else expect(await world.act({ browser_click: { tabId: changes.newTab, clickId: close } })).toMatchObject({ clicked: true });
    await expect.poll(async () => (await world.act({ browser_tabs: {} }))["tabs"].map((tab: { tabId: number }) => tab.tabId)).not.toContain(changes.newTab);
    expect(await world.refusal({ browser_dom_index: { tabId: changes.newTab } })).toMatchObject({ code: "TASK_TAB_CLOSED" });
  }
});

test("a window that a page has written is watched like any other: the agent's click is its own, a person's takes over", async () => {
  const opened = page.waitForEvent("popup");
  const { changes } = await click("Written");
  const popup = await opened;
  const other = changes.newTab as number;
  const clickId = await world.find(other, "Pay");
  expect(await world.act({ browser_click: { tabId: other, clickId } })).toMatchObject({ clicked: true });
  await expect.poll(() => page.evaluate("log")).toContain("paid true");
  const taken = world.server.received.next((message) => message["type"] === "task_takeover");
  await popup.mouse.click(200, 200);
  await taken;
  await world.server.send({ v: 1, type: "task_status", id: "s", taskId: world.taskId, status: "ongoing" });
  await world.act({ browser_tab_close: { tabId: other } });
});

test("navigations are reported: to a page, to a part, by script", async () => {
  expect(await click("Part")).toMatchObject({ changes: { navigated: `${world.sites.here}/clicks#part` } });
  expect(await click("Push state")).toMatchObject({ changes: { navigated: `${world.sites.here}/clicks?pushed` } });
  expect(await click("Form page")).toMatchObject({ changes: { navigated: `${world.sites.here}/form` } });
  expect((await world.index(tabId))[0]).toMatchObject({ name: "Name" });
});

test("a page that goes into the browser's cache doesn't block a click", async () => {
  for (let time = 0; time < 5; time++) {
    expect(await click("Form page")).toMatchObject({ changes: { navigated: `${world.sites.here}/form` } });
    expect(await world.act({ browser_go_back: { tabId } })).toMatchObject({ url: `${world.sites.here}/clicks` });
  }
});

test("a download is reported", async () => {
  expect(await click("Download")).toMatchObject({ changes: { download: { filename: "report.txt", url: `${world.sites.here}/download.txt` } } });
});

test("a script that asks for a file gets none, and the agent is told", async () => {
  expect(await click("Choose a file")).toMatchObject({ changes: { dialog: { type: "file" } } });
});

test("what appears and disappears is reported in lines, late server responses included", async () => {
  const { changes } = await click("Adds");
  expect(changes.added).toEqual([expect.stringMatching(/^\d+ button "Fresh"$/), 'alert "Something happened"']);
  expect((await click("Toggle"))["changes"].added).toEqual([expect.stringMatching(/button "In the panel"$/)]);
  expect((await click("Toggle"))["changes"].removed).toEqual([expect.stringMatching(/button "In the panel"$/)]);
  // The answer of a slow server isn't waited for, so try once more.
  await expect.poll(async () => (await click("Fetch"))["changes"]?.added).toEqual([expect.stringMatching(/button "from the server"$/)]);
  expect((await click("Mover"))["changes"]).toBeUndefined();
});

test("a page that shows at once that it works is told with what came of it, without what was there in between", async () => {
  const saved = async () => {
    await world.go(tabId, page, "/clicks");
    return (await click("Save"))["changes"];
  };
  await expect.poll(saved).toMatchObject({ removed: [expect.stringMatching(/button "Save"$/)], added: [expect.stringMatching(/button "Saved"$/)] });
});

test("a page that shows at once that it leaves is told with where it went, one that opens a window with its tab", async () => {
  for (let time = 0; time < 3; time++) {
    expect(await click("Leave")).toMatchObject({ changes: { navigated: expect.stringMatching(/\/form\??$/) }, pageUrl: expect.stringMatching(/\/form\??$/) });
    await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/clicks` } });
  }
  const { changes } = await click("Spawn");
  expect(changes).toMatchObject({ newTab: expect.any(Number), added: [expect.stringMatching(/button "Spawned"$/)] });
  await world.act({ browser_tab_close: { tabId: changes.newTab } });
});

test("hovering opens what a hover opens", async () => {
  const result = await world.act({ browser_hover: { tabId, clickId: await world.find(tabId, "Menu") } });
  expect(result).toMatchObject({ hovered: true });
  await click("Item");
  await expect.poll(() => page.url()).toContain("#item");
});

test("a zoomed page is hit where it is", async () => {
  const worker = await world.worker();
  for (const zoom of [1.5, 0.67]) {
    await worker.evaluate(async ([id, factor]) => await chrome.tabs.setZoom(id, factor), [tabId, zoom] as const);
    await click("Far away");
    await click("Mover");
  }
  await worker.evaluate(async (id) => await chrome.tabs.setZoom(id, 1), tabId);
  await expect.poll(() => page.evaluate("log")).toEqual(["far true", "mover true", "far true", "mover true"]);
});

test("dom_click is an untrusted click, and says so", async () => {
  expect(await click("Mover", { strategy: "dom_click" })).toMatchObject({ strategy: "dom_click" });
  await expect.poll(() => page.evaluate("log")).toEqual(["mover false"]);
});

test("frames are clicked through all their parents, scaled and shadowed and out of view", async () => {
  await world.go(tabId, page, "/frames");
  await world.act({ browser_wait_for_loaded: { tabId } });
  for (const name of ["same", "cross", "scaled", "nested", "shadow"]) {
    const { changes } = await click(`Button ${name}`);
    // Reported by a message between two pages, with a delay.
    await expect.poll(() => page.title()).toBe(`clicked ${name} true`);
    expect(changes.added).toEqual([expect.stringMatching(new RegExp(`^f\\d+:\\d+ button "Done ${name}"$`))]);
  }
  await click("Srcdoc button");
  await expect.poll(() => page.title()).toBe("srcdoc clicked");
});

test("a hidden tab is worked on like any other", async () => {
  const other = await world.context.newPage();
  await other.bringToFront();
  const { changes } = await click("Adds");
  expect(changes.added[0]).toMatch(/button "Fresh"/);
  await other.close();
});
