/** Without the debugger: actions by script with a warning, refused if a trusted event was requested. */

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
  // The only simulated part: a headless browser has no bar with Cancel.
  await (await world.worker()).evaluate(() => {
    chrome.debugger.attach = (async () => Promise.reject(new Error("Cannot attach to this target."))) as never;
  });
});
afterAll(() => world.close());

test("actions that need no trusted event are done by script, with a warning", async () => {
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

test("an explicit debugger strategy is refused, and so are actions that need the debugger", async () => {
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
