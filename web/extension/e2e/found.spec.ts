/** Clickable elements are listed with the right names, also if a page hides them from assistive technology or moves them. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/found"));
});
afterAll(() => world.close());
beforeEach(async () => void (await world.go(tabId, page, "/found")));

const called = async (): Promise<string[]> => (await world.index(tabId)).map(({ role, tag, name, hint }) => `${role === "generic" ? tag : role} ${name || hint}`);

test("a hint quotes only visible text", async () => {
  expect(await called()).toContain("span (#icon)");
  expect(JSON.stringify(await world.act({ browser_page: { tabId } }))).not.toContain("Secret");
});

test("an element that is hidden only from assistive technology is listed and works", async () => {
  const lines = await called();
  expect(lines).toContain("button ▲");
  expect(lines).toContain("button In front");
  expect(lines).not.toContain("button Behind");
  const clickId = await world.find(tabId, "▲");
  await world.act({ browser_click: { tabId, clickId } });
  expect(await page.inputValue("input")).toBe("1");
});

test("a handle that only its cursor reveals is listed", async () => {
  expect(await called()).toContain("div (#corner beside \"Shy\")");
});

test("a listener around a control isn't named after it", async () => {
  const lines = await called();
  expect(lines.filter((line) => line.endsWith(" Close"))).toEqual(["button Close"]);
});

test("a click that lands elsewhere because the page moved says so", async () => {
  const clickId = await world.find(tabId, "Shy");
  const { warnings } = await world.act({ browser_click: { tabId, clickId } });
  expect(warnings.join(" ")).toContain("landed on body");
  expect(await page.textContent("#told")).toBe("-");
});

const typed = async (kind: string, text: string) => {
  await page.goto("about:blank");
  await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/keys#${kind}` } });
  const result = await world.act({ browser_type: { tabId, clickId: await world.find(tabId, "Field"), text } });
  await expect.poll(() => page.inputValue("#field")).toBe(text);
  return { result, seen: (await page.evaluate("seen")) as [string, boolean, string][] };
};

test("key listeners get keys, also those added on focus", async () => {
  for (const [kind, type] of [["keys", "keydown"], ["late", "keyup"]] as const) {
    const long = await typed(kind, `${"a very long text ".repeat(10)}ends`);
    expect(long.seen.filter(([one, isTrusted]) => one === type && isTrusted).map(([, , key]) => key)).toEqual(["s"]);
    const short = await typed(kind, "rm -r some/file");
    expect(short.seen.filter(([one, , key]) => one === type && key !== "Shift").map(([, , key]) => key)).toEqual([..."rm -r some/file"]);
  }
});

test("without key listeners, text arrives as one trusted input, and the page's reaction is reported", async () => {
  const { seen, result } = await typed("text", "all of it");
  expect(seen).toEqual([["input", true, "insertText"]]);
  expect(result["changes"].added).toContain('status "9 letters"');
  expect(result).toMatchObject({ typed: true, strategy: "cdp_key" });
  expect((await typed("quiet", "Ünïcödé 你好")).result["changes"].added[0]).toContain("Ünïcödé 你好");
});
