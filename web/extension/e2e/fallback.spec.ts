/** Without the debugger: by script, said so, and refused where a trusted event was asked for. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/form"));
  await world.act({ browser_debugger_detach: { tabId } });
  // The only thing that is made up: nobody can press Cancel on Chrome's bar in a headless browser.
  await (await world.worker()).evaluate(() => {
    chrome.debugger.attach = (async () => Promise.reject(new Error("Cannot attach to this target."))) as never;
  });
});
afterAll(() => world.close());

test("what needs no trusted event is done by script, with a warning", async () => {
  const name = await world.find(tabId, "Name");
  expect(await world.act({ browser_type: { tabId, clickId: name, text: "Ada" } })).toMatchObject({ typed: true, strategy: "dom_input", warnings: [expect.stringContaining("Cannot attach")] });
  expect(await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Save") } })).toMatchObject({ clicked: true, strategy: "dom_click", warnings: [expect.any(String)] });
  await expect.poll(() => page.textContent("#out")).toBe("Saved Ada");
  expect(await world.act({ browser_type: { tabId, clickId: name, text: "Grace", submit: true } })).toMatchObject({ typed: true });
  await expect.poll(() => page.textContent("#out")).toBe("Sent Grace");
  expect(await world.act({ browser_hover: { tabId, clickId: name } })).toMatchObject({ hovered: true });
  expect(await world.act({ browser_press_key: { tabId, key: "Escape" } })).toMatchObject({ pressed: true });
  expect(await world.act({ browser_screenshot: { tabId } })).toMatchObject({ screenshotUploaded: true, warnings: [expect.any(String)] });
});

test("an explicit strategy of the debugger is refused, and so is what only it can do", async () => {
  const clickId = await world.find(tabId, "Save");
  for (const action of [
    { browser_click: { tabId, clickId, strategy: "cdp_mouse" } },
    { browser_type: { tabId, clickId: await world.find(tabId, "Name"), text: "x", strategy: "cdp_key" } },
    { browser_debugger_attach: { tabId } },
    { browser_screenshot: { tabId, fullPage: true } },
    { browser_console: { tabId } },
  ]) {
    expect(await world.refusal(action), JSON.stringify(action)).toMatchObject({ code: "CDP_UNAVAILABLE", retryable: true });
  }
});
