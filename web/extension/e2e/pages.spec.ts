/** Pages: opening, viewing, reading and waiting for them; and the tabs of a task. */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/form"));
});
afterAll(() => world.close());

const go = async (path: string) => await world.go(tabId, page, path);
/** Resolves once the browser has requested it; on a busy machine that may be after the timeout. */
const released = async () => await expect.poll(() => world.sites.release()).toBeGreaterThan(0);

test("going, back, forward and again", async () => {
  expect(await go("/article")).toMatchObject({ navigated: true, tabId, url: `${world.sites.here}/article` });
  expect(await world.act({ browser_go_back: { tabId } })).toMatchObject({ navigated: true, url: `${world.sites.here}/form` });
  expect(await world.act({ browser_go_forward: { tabId } })).toMatchObject({ navigated: true, url: `${world.sites.here}/article` });
  expect(await world.act({ browser_reload: { tabId } })).toMatchObject({ navigated: true, url: `${world.sites.here}/article` });
  expect(await world.refusal({ browser_go_forward: { tabId } })).toMatchObject({ code: "INVALID_TARGET" });
});

test("a server that does not answer is a timeout; one that is not there an error; the next action works", async () => {
  expect(await world.refusal({ browser_navigate: { tabId, url: `${world.sites.here}/held`, timeoutMs: 900 } })).toMatchObject({ code: "NAVIGATION_TIMEOUT", retryable: false, details: { mayHaveBeenDone: true } });
  expect(await world.refusal({ browser_wait_for_loaded: { tabId, timeoutMs: 700 } })).toMatchObject({ code: "NAVIGATION_TIMEOUT" });
  await released();
  await world.act({ browser_wait_for_loaded: { tabId } });
  // In a separate tab, because Playwright's handle can't recover if the renderer crashes.
  const { tabId: lost } = await world.act({ browser_tab_open: {} });
  expect(await world.refusal({ browser_navigate: { tabId: lost, url: "http://127.0.0.1:1/" } })).toMatchObject({ code: "PLUGIN_ERROR", message: expect.stringContaining("ERR_") });
  expect(await world.act({ browser_navigate: { tabId: lost, url: `${world.sites.here}/form` } })).toMatchObject({ navigated: true });
  await world.act({ browser_tab_close: { tabId: lost } });
  await go("/form");
  expect(await world.act({ browser_wait_for_loaded: { tabId } })).toMatchObject({ status: "complete" });
});

test("pages of the browser itself are refused", async () => {
  expect(await world.refusal({ browser_navigate: { tabId, url: "chrome://version" } })).toMatchObject({ code: "CDP_PERMISSION_DENIED" });
  expect(await world.refusal({ task_start: { url: "chrome://settings" } })).toMatchObject({ code: "CDP_PERMISSION_DENIED" });
  expect(await world.refusal({ browser_navigate: { tabId, url: "file:///etc/passwd" } })).toMatchObject({ code: "CDP_PERMISSION_DENIED" });
  const worker = await world.worker();
  const chromeTab = (await world.act({ browser_tab_open: {} }))["tabId"] as number;
  await worker.evaluate(async (id) => await chrome.tabs.update(id, { url: "chrome://version" }), chromeTab);
  await world.act({ browser_wait_for_loaded: { tabId: chromeTab } });
  for (const action of ["browser_dom_index", "browser_debugger_attach", "browser_screenshot"]) {
    expect(await world.refusal({ [action]: { tabId: chromeTab } }), action).toMatchObject({ code: "CDP_PERMISSION_DENIED" });
  }
  await world.act({ browser_tab_close: { tabId: chromeTab } });
});

test("an empty tab says that it is empty, and can be photographed and left", async () => {
  const empty = (await world.act({ browser_tab_open: {} }))["tabId"] as number;
  for (const action of [{ browser_dom_index: {} }, { browser_find_text: { text: "x" } }, { browser_readability_extract: {} }, { browser_get_html: {} }, { browser_click: { clickId: "1" } }, { browser_scroll: {} }]) {
    const [[name, params]] = Object.entries(action) as [[string, object]];
    expect(await world.refusal({ [name]: { tabId: empty, ...params } }), name).toMatchObject({ code: "INVALID_TARGET", details: { hint: expect.stringContaining("browser_navigate") } });
  }
  expect(await world.act({ browser_screenshot: { tabId: empty } })).toMatchObject({ screenshotUploaded: true });
  expect(await world.act({ browser_navigate: { tabId: empty, url: `${world.sites.here}/form` } })).toMatchObject({ navigated: true });
  expect((await world.index(empty)).length).toBeGreaterThan(3);
  await world.act({ browser_navigate: { tabId: empty, url: "about:blank" } });
  expect(await world.refusal({ browser_dom_index: { tabId: empty } })).toMatchObject({ code: "INVALID_TARGET", details: { empty: true } });
  await world.act({ browser_tab_close: { tabId: empty } });
});

test("pictures of the view and of the whole page are uploaded, without our own frame", async () => {
  await go("/late");
  const view = await world.act({ browser_screenshot: { tabId } });
  expect(view).toMatchObject({ screenshotUploaded: true, url: `${world.server.url}/api/artifacts/${view["artifactId"]}` });
  const whole = await world.act({ browser_screenshot: { tabId, fullPage: true } });
  expect(whole["height"]).toBeGreaterThan(3000);
  const stored = world.server.artifacts.get(view["artifactId"])!;
  expect(stored.contentType).toBe("image/png");
  expect(stored.body.readUInt32BE(16)).toBe(view["width"]);
  world.server.refusesUploads = true;
  expect(await world.refusal({ browser_screenshot: { tabId } })).toMatchObject({ code: "ARTIFACT_UPLOAD_FAILED", retryable: true });
  world.server.refusesUploads = false;
});

test("an article comes as text and Markdown, a long one by artifact, a huge one not at all", async () => {
  await go("/article");
  const read = await world.act({ browser_readability_extract: { tabId } });
  expect(read).toMatchObject({ title: "The bridge", truncated: false });
  expect(read["markdown"]).toContain(`through floods and [two wars](${world.sites.here}/form)`);
  expect(read["markdown"]).toContain("- Length: 112 metres\n- Arches: seven");
  expect(read["markdown"]).toContain("```js\nconst arches = 7;\n```");
  expect(read["text"]).toContain("built in 1842 by people");
  expect(read["markdown"]).not.toContain("Elsewhere");
  await go("/text?times=3000"); // 256 KB and more
  const long = await world.act({ browser_readability_extract: { tabId } });
  expect(long).toMatchObject({ truncated: true });
  expect(long["markdown"]).toBeUndefined();
  expect(world.server.artifacts.get(long["artifactId"])!.body.length).toBe(long["contentLengthBytes"]);
  await go("/text?times=30000");
  expect(await world.refusal({ browser_readability_extract: { tabId, timeoutMs: 60_000 } })).toMatchObject({ code: "READABILITY_TOO_LARGE" });
});

test("page preparation gives both; one of them missing is partial, both a failure", async () => {
  await go("/article");
  const both = { browser_screenshot: { tabId }, browser_readability_extract: { tabId } };
  const full = await world.server.act(world.taskId, both);
  expect(full).toMatchObject({ status: "success", result: { screenshotUploaded: true, markdown: expect.stringContaining("bridge") } });
  world.server.refusesUploads = true;
  const half = await world.server.act(world.taskId, both);
  expect(half).toMatchObject({ status: "partial", result: { missing: ["browser_screenshot"], warnings: [expect.stringContaining("ARTIFACT_UPLOAD_FAILED")] } });
  await go("/text?times=6000");
  expect(await world.refusal(both)).toMatchObject({ code: "PAGE_PREP_FAILED", retryable: true });
  world.server.refusesUploads = false;
});

test("HTML goes by artifact, whole or one element", async () => {
  await go("/form");
  const whole = await world.act({ browser_get_html: { tabId } });
  expect(world.server.artifacts.get(whole["artifactId"])!.body.toString()).toContain("<!DOCTYPE html>");
  const part = await world.act({ browser_get_html: { tabId, xpath: "//h1" } });
  expect(world.server.artifacts.get(part["artifactId"])!.body.toString()).toBe("<h1>Form</h1>");
  expect(await world.refusal({ browser_get_html: { tabId, xpath: "//button" } })).toMatchObject({ code: "INVALID_TARGET", details: { matches: 3 } });
});

test("scrolling says where it stands", async () => {
  await go("/late");
  const down = await world.act({ browser_scroll: { tabId } });
  expect(down).toMatchObject({ scrolled: true, atEnd: false });
  expect(down["y"]).toBeGreaterThan(300);
  expect(await world.act({ browser_scroll: { tabId, amount: 100_000 } })).toMatchObject({ atEnd: true });
  expect(await world.act({ browser_scroll: { tabId, direction: "up", amount: 100_000 } })).toMatchObject({ y: 0, atEnd: true });
  expect((await world.act({ browser_scroll: { tabId, xpath: "//button" } }))["y"]).toBeGreaterThan(1000);
});

test("text is found through its markup, and waited for", async () => {
  await go("/late");
  const { matches, total } = await world.act({ browser_find_text: { tabId, text: "the END of" } });
  expect({ total, text: matches[0].text, tag: matches[0].tag }).toEqual({ total: 1, text: "The end of it", tag: "p" });
  expect((await world.act({ browser_find_text: { tabId, text: "Go" } }))["matches"][0]).toMatchObject({ clickId: expect.any(String) });
  await page.evaluate("arrive()");
  expect(await world.act({ browser_wait_for: { tabId, text: "The list is here" } })).toMatchObject({ met: "text" });
  expect(await world.act({ browser_wait_for: { tabId, textGone: "Loading the list" } })).toMatchObject({ met: "textGone" });
  expect(await world.act({ browser_wait_for: { tabId, idleMs: 50 } })).toMatchObject({ met: "idle" });
  expect(await world.refusal({ browser_wait_for: { tabId, text: "never", timeoutMs: 700 } })).toMatchObject({ code: "PLUGIN_TIMEOUT_EXEC" });
});

test("words are apart where a person sees them apart, and markup inside a word does not part it", async () => {
  await go("/words");
  const found = async (text: string) => (await world.act({ browser_find_text: { tabId, text } }))["matches"] as Record<string, any>[];
  for (const text of ["Add tea Zoë", "inseparable word, H2O", "Two words", "first line second line", "alpha beta", "Press Save now", "seesaw", "plain shadow go text"]) {
    expect((await found(text)).map((one) => one["text"]), text).toEqual([expect.stringContaining(text)]);
  }
  for (const text of ["teaZoë", "Twowords", "linesecond", "alphabeta", "HomeHelp", "Home Help", "LeftRight", "SaveNow", "gone", "shadowgo"]) expect(await found(text), text).toEqual([]);
  expect((await found("Zoë"))[0]!["clickId"]).toBe(await world.find(tabId, "Zoë"));
});

test("the console and failed requests are told", async () => {
  await go("/article");
  await world.act({ browser_wait_for: { tabId, idleMs: 100 } });
  const { messages, total } = await world.act({ browser_console: { tabId } });
  expect(total).toBeGreaterThanOrEqual(3);
  const said = messages.map((one: { level: string; text: string }) => `${one.level}: ${one.text}`);
  expect(said).toEqual(expect.arrayContaining(["log: page says {a: 1}", "warn: careful", expect.stringContaining("broken on purpose")]));
  const { requests } = await world.act({ browser_requests: { tabId } });
  expect(requests).toEqual(expect.arrayContaining([expect.objectContaining({ url: `${world.sites.here}/missing`, method: "GET", status: 404 }), expect.objectContaining({ url: "http://127.0.0.1:1/", error: expect.any(String) })]));
  expect((await world.act({ browser_console: { tabId, limit: 1 } }))["messages"]).toHaveLength(1);
});

test("tabs are opened, switched to, listed and closed; foreign and closed ones are told apart", async () => {
  const opened = await world.act({ browser_tab_open: { url: `${world.sites.here}/form` } });
  expect(opened).toMatchObject({ url: `${world.sites.here}/form`, windowId: expect.any(Number) });
  expect(await world.act({ browser_tab_switch: { tabId } })).toMatchObject({ switched: true, tabId });
  const { tabs } = await world.act({ browser_tabs: {} });
  expect(tabs).toEqual(expect.arrayContaining([expect.objectContaining({ tabId, active: true, url: expect.any(String), index: expect.any(Number) }), expect.objectContaining({ tabId: opened["tabId"], active: false })]));
  expect(await world.act({ browser_tab_close: { tabId: opened["tabId"] } })).toEqual({ closed: true });
  expect(await world.refusal({ browser_dom_index: { tabId: opened["tabId"] } })).toMatchObject({ code: "TASK_TAB_CLOSED" });
  const foreign = await world.server.act(randomUUID(), { browser_dom_index: { tabId } });
  expect(foreign).toMatchObject({ status: "error", error: { code: "INVALID_TASK_TAB" } });
  expect(await world.refusal({ browser_dom_index: { tabId: 987_654 } })).toMatchObject({ code: "INVALID_TASK_TAB" });
});

test("a task has a group of its own, can be given another look, reuse its tab, and be stopped", async () => {
  const taskId = randomUUID();
  const act = async (action: Record<string, unknown>) => (await world.server.act(taskId, action)) as Record<string, any>;
  const { result } = await act({ task_start: { url: `${world.sites.here}/form`, groupTitle: "Find it", groupColor: "cyan" } });
  expect(result).toMatchObject({ url: `${world.sites.here}/form`, title: "Form", groupId: expect.any(Number) });
  const group = async () => (await world.worker()).evaluate(async (id) => await chrome.tabGroups.get(id), result.groupId as number);
  expect(await group()).toMatchObject({ title: "Find it", color: "cyan" });
  expect((await act({ task_group_update: { title: "Found", color: "green" } })).result).toEqual({ updated: true });
  expect(await group()).toMatchObject({ title: "Found", color: "green" });
  expect((await act({ task_start: { url: `${world.sites.here}/late`, reuseExistingTab: true } })).result).toMatchObject({ tabId: result.tabId, url: `${world.sites.here}/late` });
  // Several actions in one message run in order, and the last one's result comes back.
  expect((await act({ browser_navigate: { tabId: result.tabId, url: `${world.sites.here}/form` }, browser_wait_for_loaded: { tabId: result.tabId } })).result).toMatchObject({ status: "complete" });
  expect((await act({ browser_debugger_detach: { tabId: result.tabId } })).result).toMatchObject({ detached: true });
  expect((await act({ browser_debugger_attach: { tabId: result.tabId } })).result).toMatchObject({ attached: true });
  expect((await act({ task_stop: { closeTab: true } })).result).toEqual({ stopped: true });
  const gone = await (await world.worker()).evaluate(async (id) => await chrome.tabs.get(id).then(() => false, () => true), result.tabId as number);
  expect(gone).toBe(true);
});

test("nothing moves in the frame around a page where an agent works: a page at rest isn't drawn again and again", async () => {
  const debug = await page.context().newCDPSession(page);
  const moving: string[] = [];
  debug.on("Animation.animationStarted", ({ animation }) => moving.push(animation.name));
  await debug.send("Animation.enable");
  await go("/article");
  await page.locator("[data-handrail-badge]").waitFor({ state: "attached" });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await debug.send("Animation.getPlaybackRate");
  await debug.detach();
  expect(moving).toEqual([]);
});

test("a picture for a person outlines the element that is meant, says what it is, and leaves nothing behind", async () => {
  const { tabId, page } = await world.visit("/form");
  const clickId = await world.find(tabId, "Save");
  const before = await world.act({ browser_screenshot: { tabId } });
  const outlined = await world.act({ browser_screenshot: { tabId, clickId } });
  expect(outlined["target"]).toEqual({ clickId, tag: "button", role: "button", name: "Save" });
  const picture = (result: Record<string, any>): Buffer => world.server.artifacts.get(result["artifactId"])!.body;
  expect(picture(outlined).equals(picture(before))).toBe(false);
  expect(await page.evaluate(() => [...document.documentElement.children].filter((one) => one.localName === "div").length)).toBeLessThanOrEqual(1);
  expect((await world.refusal({ browser_screenshot: { tabId, clickId: "99999" } }))["code"]).toBe("INVALID_TARGET");
});

test("a result names every page that it came by: redirects of the server, and pages that lead on by themselves", async () => {
  const { tabId, page } = await world.visit("/form");
  const { here, there } = world.sites;
  const hop = (site: string, to: string): string => `${site}/hop?to=${encodeURIComponent(to)}`;
  const chain = [hop(here, hop(there, hop(here, `${here}/article`))), hop(there, hop(here, `${here}/article`)), hop(here, `${here}/article`)];
  expect(await world.act({ browser_navigate: { tabId, url: chain[0] } })).toMatchObject({ url: `${here}/article`, pageUrl: `${here}/article`, hops: chain });
  expect(await world.act({ task_start: { url: chain[1] } })).toMatchObject({ url: `${here}/article`, hops: chain.slice(1) });
  expect(await world.go(tabId, page, "/form")).not.toHaveProperty("hops");
  await page.evaluate((address) => document.body.insertAdjacentHTML("afterbegin", `<a href="${address}">Onwards</a>`), chain[1]!);
  const clicked = await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Onwards") } });
  expect(clicked).toMatchObject({ changes: { navigated: `${here}/article` }, hops: chain.slice(1) });
  // A frame's redirects don't count.
  await world.go(tabId, page, "/form");
  await page.evaluate((address) => document.body.insertAdjacentHTML("beforeend", `<iframe src="${address}"></iframe>`), chain[1]!);
  expect(await world.act({ browser_wait_for: { tabId, text: "The bridge" } })).not.toHaveProperty("hops");
});

test("what a failed action came by is told with the next result, and what several did with their one result", async () => {
  const { tabId } = await world.visit("/form");
  const { here, there } = world.sites;
  const hop = (to: string): string => `${there}/hop?to=${encodeURIComponent(to)}`;
  const late = hop(`${here}/held`);
  expect(await world.refusal({ browser_navigate: { tabId, url: late, timeoutMs: 900 } })).toMatchObject({ code: "NAVIGATION_TIMEOUT" });
  await released();
  expect(await world.act({ browser_wait_for_loaded: { tabId } })).toMatchObject({ pageUrl: `${here}/held`, hops: [late] });
  expect(await world.act({ browser_wait_for_loaded: { tabId } })).not.toHaveProperty("hops");
  expect(await world.act({ browser_navigate: { tabId, url: hop(`${here}/form`) }, browser_wait_for_loaded: { tabId } })).toMatchObject({ status: "complete", hops: [hop(`${here}/form`)] });
  // A tab that couldn't load its page still belongs to the task.
  expect(await world.refusal({ task_start: { url: late, timeoutMs: 2000 } })).toMatchObject({ code: "NAVIGATION_TIMEOUT" });
  await released();
  const { tabs } = await world.act({ browser_tabs: {} });
  const opened = Math.max(...tabs.map((tab: { tabId: number }) => tab.tabId));
  expect(await world.act({ browser_wait_for_loaded: { tabId: opened } })).toMatchObject({ pageUrl: `${here}/held`, hops: [late] });
  await world.act({ browser_tab_close: { tabId: opened } });
});

test("a result says which page it comes from", async () => {
  const { tabId } = await world.visit("/form");
  expect(await world.act({ browser_dom_index: { tabId } })).toMatchObject({ pageUrl: `${world.sites.here}/form` });
  const gone = await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/article` } });
  expect(gone["pageUrl"]).toBe(`${world.sites.here}/article`);
  expect(await world.act({ browser_find_text: { tabId, text: "bridge" } })).toMatchObject({ pageUrl: `${world.sites.here}/article` });
});
