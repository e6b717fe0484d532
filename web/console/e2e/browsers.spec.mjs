/** The browser page: windows and tabs, task controls, the picture with its index, pairing. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { TASK } from "../dev/browsing.mjs";
import * as samples from "../dev/samples.mjs";
import { armed, eventually, launch } from "./browser.mjs";

let world;
beforeEach(async () => { world = await launch(); });
afterEach(async () => {
  await world.close();
  assert.deepEqual(world.complaints, []);
});

const open = async (options = {}) => {
  world.mock.browsers.fill();
  const page = await world.open({ path: "browser", ...options });
  await page.locator(".connection.online").waitFor(); // what is told before that is told to nobody
  return page;
};
const sync = (seq, title, more = {}) => {
  const known = world.mock.browsers.state.snapshots.get("plugin-a");
  const state = { ...known, tabs: [{ ...known.tabs[0], title }], lastUpdated: Date.now(), ...more };
  world.mock.tell("frontend_event", { type: "event", taskId: "global", event: { type: "snapshotSync", mode: "full", seq, state, clientId: "plugin-a" } });
};

test("windows, groups and tabs are shown, the task's tab is marked, and nothing can hide in a title", async () => {
  const page = await open();
  await page.locator(".window").first().waitFor();
  await eventually(() => page.locator(".window").count(), 2);
  assert.deepEqual(await page.locator(".group .tab-title").allInnerTexts(), ["Hotels by the sea – a very long title that goes on and on", "Map\\u{202e}"]);
  assert.match(await page.locator(".tab.owned.shown").innerText(), /Hotels by the sea/);
  assert.equal(await page.locator(".tab.owned").count(), 1);
});

test("a newer snapshot takes the place of what is shown, an older one does not", async () => {
  const page = await open();
  await page.locator(".tab", { hasText: "Notes" }).waitFor();
  sync(7, "Seventh");
  await page.locator(".tab", { hasText: "Seventh" }).waitFor();
  sync(6, "Sixth");
  sync(8, "Eighth", { lastUpdated: 1 });
  sync(9, "Ninth");
  await page.locator(".tab", { hasText: "Ninth" }).waitFor();
  assert.equal(await page.getByText(/Sixth|Eighth/).count(), 0);
});

test("after a reconnect the snapshot is read again, and counting begins anew", async () => {
  const page = await open();
  await page.locator(".tab", { hasText: "Notes" }).waitFor(); // then the page listens
  sync(100, "Before");
  await page.locator(".tab", { hasText: "Before" }).waitFor();
  await world.mock.pause();
  await page.locator(".connection.offline").waitFor();
  const known = world.mock.browsers.state.snapshots.get("plugin-a");
  world.mock.browsers.state.snapshots.set("plugin-a", { ...known, tabs: [{ ...known.tabs[0], title: "Meanwhile" }], lastUpdated: Date.now() });
  await world.mock.resume();
  await page.locator(".tab", { hasText: "Meanwhile" }).waitFor();
  sync(1, "After");
  await page.locator(".tab", { hasText: "After" }).waitFor();
});

test("a browser that has gone shows what it had open, as stale", async () => {
  const page = await open();
  await page.locator(".plugin.connected").waitFor();
  world.mock.browsers.state.plugins[0].socketConnected = false;
  world.mock.tell("browsing", { plugins: world.mock.browsers.state.plugins, tasks: [], windows: [] });
  await page.locator(".windows.away").getByText("stale").waitFor();
  await page.getByText("no browser connected").waitFor();
});

test("another browser's windows are shown when it is chosen, and followed", async () => {
  const page = await open();
  const known = world.mock.browsers.state.snapshots.get("plugin-a");
  const put = (title, lastUpdated) => world.mock.browsers.state.snapshots.set("plugin-b", { ...known, tabs: [{ ...known.tabs[0], title }], lastUpdated });
  put("Elsewhere", 5);
  await page.getByRole("button", { name: "Show the windows of Edge" }).click();
  await page.locator(".tab", { hasText: "Elsewhere" }).waitFor();
  put("Elsewhere, later", 6);
  world.mock.tell("browsing", { tasks: [], windows: ["plugin-b"] });
  await page.locator(".tab", { hasText: "Elsewhere, later" }).waitFor();
});

test("the browser for new tasks is chosen by keyboard, and stays where it is in the list", async () => {
  const page = await open();
  const rows = page.locator(".plugin");
  const [chrome, edge] = ["Chrome", "Edge"].map((name) => page.getByRole("radio", { name: new RegExp(`Use ${name}`) }));
  await chrome.focus();
  await page.locator(".plugin", { hasText: "Chrome" }).getByText("used for new tasks").waitFor();
  const names = await rows.locator(".plugin-name").allInnerTexts();
  await page.keyboard.press("ArrowDown");
  await page.locator(".plugin", { hasText: "Edge" }).getByText("used for new tasks when online").waitFor();
  assert.equal(await edge.isChecked(), true);
  assert.equal(await edge.evaluate((radio) => radio === document.activeElement), true);
  assert.deepEqual(await rows.locator(".plugin-name").allInnerTexts(), names);
  assert.deepEqual(world.mock.browsers.state.plugins.map(({ chosen }) => chosen), [false, true]);
});

test("a task whose browser is away says so, and is moved by hand", async () => {
  const page = await open();
  await page.getByRole("button", { name: /Fill the tax form/ }).click();
  await page.getByText("This task's browser, Edge 150 · Linux, is offline.").waitFor();
  await page.getByLabel("Continue in").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".browser-task[aria-pressed=true]", { hasText: "Chrome 150" }).waitFor();
  assert.equal(world.mock.browsers.state.tasks[1].selectedClientId, "plugin-a");
  await page.getByText("is away").waitFor({ state: "detached" });
});

test("a person takes over, hands back and stops", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("You have taken over. The agent can").waitFor();
  await page.getByLabel("The agent may keep reading").check();
  await page.getByRole("button", { name: "Take screenshot" }).waitFor();
  await page.getByLabel("The agent may keep reading").uncheck();
  await page.getByRole("button", { name: "Take screenshot" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Hand back" }).click();
  await page.locator(".task-view-head").getByText("ongoing").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".task-view-head").getByText("completed").waitFor();
  assert.equal(await page.getByRole("button", { name: /Take over|Hand back|Stop|Take screenshot/ }).count(), 0);
});

test("the index lies on the picture where the elements are, at every size", async () => {
  const page = await open();
  for (const width of [1280, 700, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await page.locator(".drawn img").waitFor();
    const [picture, box] = [await page.locator(".drawn img").boundingBox(), await page.locator(".box", { hasText: "3" }).boundingBox()];
    const scale = picture.width / 1280;
    for (const [found, wanted] of [[box.x - picture.x, 816 * scale], [box.y - picture.y, 120 * scale], [box.width, 128 * scale], [box.height, 44 * scale]]) {
      assert.ok(Math.abs(found - wanted) < 2.5, `${width}: ${found} for ${wanted}`);
    }
  }
});

test("pointing at a line shows the box, pointing at a box tells its name; the index can be switched off, for good", async () => {
  const page = await open();
  await page.locator("details summary").click();
  await page.keyboard.press("Tab");
  await page.locator(".box.pointed", { hasText: '1 link "Home"' }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator(".box.pointed", { hasText: '2 searchbox "Where to?"' }).waitFor();
  await page.locator(".box", { hasText: "3" }).hover();
  await page.locator(".box.pointed", { hasText: '3 button "Search"' }).waitFor();
  await page.getByLabel("Index (4)").uncheck();
  await eventually(() => page.locator(".box").count(), 0);
  await page.reload();
  await page.locator(".drawn img").waitFor();
  assert.equal(await page.locator(".box").count(), 0);
});

test("a new picture is shown when an agent has taken one, and looking takes one of the task's tab", async () => {
  const page = await open();
  await page.locator(".drawn img").waitFor();
  const { views, acted } = world.mock.browsers.state;
  views.set(TASK, { ...views.get(TASK), artifactId: "art-2", elements: [] });
  world.mock.tell("frontend_event", { type: "event", taskId: TASK, event: { type: "toolUsed", name: "browser_screenshot", status: "success" } });
  await page.locator("img[data-url='/api/artifacts/art-2'][src]").waitFor();
  await page.getByText("This page has no index.").waitFor();
  await page.getByRole("button", { name: "Take screenshot" }).click();
  await eventually(() => acted.map(({ actions }) => actions), [{ browser_dom_index: { tabId: 2, scope: "viewport", boxes: true } }, { browser_screenshot: { tabId: 2 } }]);
});

test("what is shown stays while other tasks begin and change, and every row keeps its place", async () => {
  const page = await open();
  await page.locator(".drawn img").waitFor();
  const [first, second] = world.mock.browsers.state.tasks;
  const later = { ...second, taskId: "01J00000000000000000000002", title: "Book a table", status: "running", createdAt: Date.now(), updatedAt: Date.now() };
  world.mock.tell("browsing", { tasks: [later], windows: [] });
  world.mock.tell("browsing", { tasks: [{ ...second, updatedAt: Date.now() + 1 }], windows: [] });
  await page.getByRole("button", { name: /Book a table/ }).waitFor();
  await eventually(() => page.locator(".browser-task-title").allInnerTexts(), ["Book a table", first.title, second.title]);
  assert.match(await page.locator(".browser-task[aria-pressed=true]").innerText(), /Find a quiet hotel/);
  assert.equal(await page.locator(".drawn img").count(), 1);
});

test("a task without a picture says so, and what makes one", async () => {
  const page = await open();
  await page.getByRole("button", { name: /Fill the tax form/ }).click();
  await page.getByText("No screenshot of this task yet.").waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.locator(".drawn img").waitFor();
});

test("without a browser the page says how to get one, and makes a code that runs out", async () => {
  const page = await world.open({ path: "browser" });
  await page.getByText("handrail extension launch").waitFor();
  await page.getByText("handrail extension path").waitFor();
  await page.clock.install();
  await page.getByRole("button", { name: "Get a code" }).click();
  assert.equal(await page.locator(".pair-code").innerText(), "code-1");
  await page.getByText(/expires in (10:00|9:5\d)/).waitFor();
  await page.clock.fastForward("10:01");
  await page.getByText("This code has expired.").waitFor();
  await page.getByRole("button", { name: "Get a code" }).waitFor();
});

for (const [payload, told] of [
  [{ ok: true, clientId: "plugin-x" }, "Paired. The browser connects by itself."],
  [{ ok: false, pending: true, error: "x" }, "confirm it in the extension's own window"],
  [{ ok: false, error: "this isn't a handrail server" }, "Pairing failed: this isn't a handrail server"],
]) {
  test(`an extension that is not paired is paired by one click: ${told}`, async () => {
    const page = await world.open();
    await page.evaluate((answer) => {
      window.asked = [];
      addEventListener("message", ({ data, origin }) => {
        const { type, requestId } = data;
        if (type === "mimo/get_plugin_client_info") postMessage({ type: `${type}_result`, requestId, payload: { ok: true, version: "9.9", clientId: "plugin-x", socketConnected: false } }, origin);
        if (type !== "mimo/pair") return;
        window.asked.push(data);
        postMessage({ type: `${type}_result`, requestId: "another", payload: { ok: false, error: "not this one" } }, origin);
        postMessage({ type: `${type}_result`, requestId, payload: answer }, origin);
      });
    }, payload);
    await page.evaluate(() => { location.hash = "/browser"; });
    await page.getByText("version 9.9").waitFor();
    await page.getByRole("button", { name: "Pair this browser" }).click();
    await page.locator(".question").getByText(told).waitFor();
    const [{ requestId: _, ...asked }] = await page.evaluate(() => window.asked);
    assert.deepEqual(asked, { type: "mimo/pair", code: "code-1", server: world.mock.url });
  });
}

test("paired browsers are listed under access and can be revoked", async () => {
  world.mock.browsers.fill();
  const page = await world.open({ path: "settings/access" });
  await page.getByRole("button", { name: "Revoke: chrome" }).click();
  await page.getByText("It can no longer connect.").waitFor();
  await page.getByText("No browser extension is paired.").waitFor();
});

test("an approval's picture is enlarged by a click; keys in front of it answer nothing", async () => {
  const page = await world.open();
  const id = world.mock.ask(samples.command);
  await armed(page);
  await page.getByRole("button", { name: "Enlarge screenshot: The screen before" }).click();
  await page.locator("dialog img").waitFor();
  await page.keyboard.press("y");
  await page.keyboard.press("n");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal(await page.locator(".panel").isVisible(), true);
  assert.equal(world.mock.state.received.length, 0);
  await page.keyboard.press("n");
  await page.locator(".panel").waitFor({ state: "hidden" });
  assert.deepEqual(world.mock.state.received.map(({ requestId, response }) => [requestId, response.status]), [[id, "canceled"]]);
});
