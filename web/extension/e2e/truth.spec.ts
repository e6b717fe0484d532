/** Reports about a page and an action match what a person would see. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/truth"));
});
afterAll(() => world.close());
beforeEach(async () => void (await world.go(tabId, page, "/truth")));

const click = async (name: string, more: Record<string, unknown> = {}) => await world.act({ browser_click: { tabId, clickId: await world.find(tabId, name), ...more } });

test("a failed sign-in in a plain div is told by the click itself", async () => {
  expect((await click("Sign in"))["changes"]).toEqual({ added: ['text "Wrong password for bob"'] });
});

test("a changed word is told with its sentence, before and now", async () => {
  expect((await click("Read one"))["changes"]).toEqual({ removed: ['text "3"'], added: ['text "You have 2 messages"'] });
});

test("what styles alone show or hide is told", async () => {
  expect((await click("More"))["changes"]["added"]).toContain('text "Extra conditions apply"');
  expect((await click("Hide"))["changes"]).toEqual({ removed: ['text "A note that will go"'] });
});

test("a late answer without a request is waited for", async () => {
  expect((await click("Slow"))["changes"]).toEqual({ added: ['text "Done after a while"'] });
});

test("no change is said only of a page that is the same", async () => {
  expect(await click("Nothing")).not.toHaveProperty("changes");
  expect((await click("Paint"))["changes"]).toEqual({ look: true });
});

test("a dialog is told with what was done about it, also one that opened by itself", async () => {
  expect((await click("Ask"))["changes"]["dialog"]).toEqual({ type: "confirm", message: "Really?", answer: "dismissed" });
  expect((await click("Ask", { dialog: "accept" }))["changes"]["dialog"]).toMatchObject({ answer: "accepted" });
  const clickId = await world.find(tabId, "Nothing");
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(confirm("By itself?")), 0)));
  const { warnings } = await world.act({ browser_click: { tabId, clickId } });
  expect(warnings).toEqual([expect.stringContaining('"By itself?"; it was dismissed')]);
});

test("a number names one element in the whole task, never one of another tab", async () => {
  const opened = async () => (await world.act({ browser_tab_open: { url: `${world.sites.here}/truth` } }))["tabId"] as number;
  const [one, other] = [await opened(), await opened()];
  const first = (await world.index(one)).map((each) => each["clickId"]);
  const second = (await world.index(other)).map((each) => each["clickId"]);
  expect(first.filter((id) => second.includes(id))).toEqual([]);
  expect(await world.refusal({ browser_click: { tabId: other, clickId: first[0] } })).toMatchObject({ code: "INVALID_TARGET", details: { stale: true } });
  for (const each of [one, other]) await world.act({ browser_tab_close: { tabId: each } });
});

test("an act whose time runs out may have been done, and is not called retryable", async () => {
  const clickId = await world.find(tabId, "Nothing");
  await page.evaluate(() => document.getElementById("nothing")!.addEventListener("click", () => { const until = performance.now() + 1500; while (performance.now() < until); }));
  expect(await world.refusal({ browser_click: { tabId, clickId, timeoutMs: 600 } })).toMatchObject({ code: "PLUGIN_TIMEOUT_EXEC", retryable: false, details: { mayHaveBeenDone: true } });
});
