/** Permission prompts are reported to the agent, which can't answer them; and copying within the page. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/asks"));
});
afterAll(() => world.close());

const click = async (name: string) => await world.act({ browser_click: { tabId, clickId: await world.find(tabId, name) } });

test("a page's permission prompt is reported, with who can answer", async () => {
  await world.index(tabId);
  await world.go(tabId, page, "/asks");
  for (const [name, what] of [["Where am I", "your location"], ["Tell me", "notifications"]] as const) {
    const { changes } = await click(name);
    expect(changes.dialog, name).toMatchObject({ type: "permission", message: expect.stringContaining(what) });
    expect(changes.dialog.answer).toBeUndefined();
  }
  const call = await click("Call");
  expect(JSON.stringify(call)).toContain("the camera");
  expect(JSON.stringify(call)).toContain("the microphone");
});

test("wrapped functions look unchanged, and leave nothing behind", async () => {
  const [text, left] = await page.evaluate(() => [navigator.geolocation.getCurrentPosition.toString(), Object.keys(globalThis).filter((name) => name.startsWith("handrail"))] as const);
  expect(text).toContain("[native code]");
  expect(left).toEqual([]);
});

test("text is copied from one place of the page and pasted into another", async () => {
  const note = await world.find(tabId, "Note");
  const copy = await world.find(tabId, "Copy");
  await world.act({ browser_select_text: { tabId, clickId: note, text: "this" } });
  await world.act({ browser_press_key: { tabId, key: "Control+c" } });
  await world.act({ browser_press_key: { tabId, clickId: copy, key: "Control+v" } });
  await expect.poll(() => page.inputValue("textarea")).toBe("this");
});
