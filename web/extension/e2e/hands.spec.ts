/** Gestures on a page: drags, points, strokes, multiple clicks, whole forms, any list. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/hands"));
});
afterAll(() => world.close());
beforeEach(async () => void (await world.go(tabId, page, "/hands")));

const find = async (name: string) => await world.find(tabId, name);
const said = async () => await page.textContent("#said");

test("an element is dragged to another one by the browser's own drag and drop", async () => {
  const { changes } = await world.act({ browser_drag: { tabId, clickId: await find("Drag me"), toClickId: (await world.act({ browser_find_text: { tabId, text: "Drop here" } }))["matches"][0].clickId } });
  expect(changes.added).toContain('text "Dropped cargo"');
  const [one, , three] = (await world.index(tabId)).filter((each) => ["one", "two", "three"].includes(each["name"])).map((each) => each["clickId"]);
  await world.act({ browser_drag: { tabId, clickId: one, toClickId: three } });
  expect(await page.$$eval("#sort li", (items) => items.map((item) => item.textContent))).toEqual(["two", "three", "one"]);
});

test("a handle that follows the pointer is dragged by so much", async () => {
  await world.act({ browser_drag: { tabId, clickId: await find("Handle"), dx: 120, dy: 0 } });
  await expect.poll(said).toMatch(/^At 1[12]\d$/);
});

test("a stroke is drawn through points of a canvas, and a click lands on the point that was named", async () => {
  const clickId = await find("Pad");
  await world.act({ browser_drag: { tabId, clickId, path: [[10, 10], [60, 80], [150, 20]] } });
  await expect.poll(said).toBe("Stroke 10,10 to 150,20");
  await world.act({ browser_click: { tabId, clickId, x: 33, y: 44 } });
  await expect.poll(said).toBe("Stroke 33,44 to 33,44");
  const box = (await page.locator("#pad").boundingBox())!;
  await world.act({ browser_click: { tabId, x: box.x + 21, y: box.y + 21 } });
  await expect.poll(said).toBe("Stroke 20,20 to 20,20");
  expect(await world.refusal({ browser_click: { tabId, clickId, x: 900, y: 5 } })).toMatchObject({ code: "INVALID_TARGET" });
});

test("a point is bound to the pixels that were shown", async () => {
  const clickId = await find("Pad");
  const { seen } = await world.act({ browser_screenshot: { tabId, clickId, asking: "element", point: "100,50" } });
  await page.evaluate(() => { const pad = (document.getElementById("pad") as HTMLCanvasElement).getContext("2d")!; pad.fillStyle = "#c00"; pad.fillRect(90, 40, 20, 20); });
  expect(await world.refusal({ browser_click: { tabId, clickId, x: 100, y: 50, expected: seen } })).toMatchObject({ code: "INVALID_TARGET", details: { changed: true } });
  expect(await said()).toBe("nothing");
  const { seen: now } = await world.act({ browser_screenshot: { tabId, clickId, asking: "element", point: "100,50" } });
  await world.act({ browser_click: { tabId, clickId, x: 100, y: 50, expected: now } });
  await expect.poll(said).toBe("Stroke 100,50 to 100,50");
});

test("a point of an element is never one of something else that acts inside of it", async () => {
  const [outer, inner] = [(await page.locator("#form").boundingBox())!, (await page.locator("#ok").boundingBox())!];
  const point = { x: inner.x - outer.x + 4, y: inner.y - outer.y + 4 };
  expect(await world.refusal({ browser_click: { tabId, xpath: "//*[@id='form']", ...point } })).toMatchObject({ code: "INVALID_TARGET", message: expect.stringContaining("At this point lies") });
  expect(await page.isChecked("#ok")).toBe(false);
});

test("where something is dragged to is bound as well", async () => {
  const clickId = await find("Drag me");
  const toClickId = (await world.act({ browser_find_text: { tabId, text: "Drop here" } }))["matches"][0].clickId;
  const { seen } = await world.act({ browser_screenshot: { tabId, clickId, asking: "element", also: toClickId } });
  await page.evaluate(() => { document.getElementById("drop")!.textContent = "Trash"; });
  expect(await world.refusal({ browser_drag: { tabId, clickId, toClickId, expected: seen } })).toMatchObject({ code: "INVALID_TARGET", details: { changed: true } });
});

test("double, right and modified clicks, and a press that is held", async () => {
  const clickId = await find("Multi");
  await world.act({ browser_click: { tabId, clickId, clicks: 2 } });
  await world.act({ browser_click: { tabId, clickId, button: "right" } });
  await world.act({ browser_click: { tabId, clickId, modifiers: ["Shift", "Control"] } });
  await expect.poll(() => page.evaluate("log")).toEqual(["click false false", "click false false", "dblclick false false", "contextmenu false false", "auxclick false false", "click true true"]);
  await world.act({ browser_click: { tabId, clickId, holdMs: 300 } });
  await expect.poll(() => page.evaluate("held")).toBeGreaterThan(250);
  await world.act({ browser_scroll: { tabId, clickId, wheel: true, direction: "down", amount: 70 } });
  await expect.poll(() => page.evaluate("wheeled")).toBe(70);
});

test("a form is filled in at once, each field in its own way", async () => {
  const fields = [{ clickId: await find("First"), value: "Ada" }, { clickId: await find("Size"), value: "L" }, { clickId: await find("Agree"), value: true }, { clickId: await find("Day"), value: "2026-02-03" }];
  expect((await world.act({ browser_fill: { tabId, fields } }))["filled"]).toEqual(fields.map((one) => one.clickId));
  expect([await page.inputValue("#first"), await page.inputValue("#size"), await page.isChecked("#ok"), await page.inputValue("#day")]).toEqual(["Ada", "L", true, "2026-02-03"]);
  expect(await world.refusal({ browser_fill: { tabId, fields: [fields[0], { clickId: await find("Multi"), value: "x" }] } })).toMatchObject({ code: "INVALID_TARGET" });
});

test("text goes to what has the focus, is selected, copied and pasted", async () => {
  await world.act({ browser_click: { tabId, clickId: await find("Editor") } });
  await world.act({ browser_type: { tabId, text: "a b\nc" } });
  await expect.poll(() => page.textContent("#editor")).toBe("a b|c");
  const words = (await world.act({ browser_find_text: { tabId, text: "quick brown" } }))["matches"][0].clickId;
  expect(await world.act({ browser_select_text: { tabId, clickId: words, text: "quick brown" } })).toMatchObject({ selected: "quick brown" });
  await world.act({ browser_press_key: { tabId, key: "Control+c" } });
  await world.act({ browser_press_key: { tabId, clickId: await find("Paste here"), key: "Control+v" } });
  await expect.poll(() => page.inputValue("#paste")).toBe("quick brown");
});

test("any list is chosen from by label, and a label that it lacks is answered with those it has", async () => {
  const clickId = await find("Fruit");
  await world.act({ browser_select_option: { tabId, clickId, values: ["Pear"] } });
  await expect.poll(() => page.textContent("#combo")).toBe("Pear");
  expect((await world.refusal({ browser_select_option: { tabId, clickId, values: ["Plum"], timeoutMs: 3000 } }))["details"].options).toEqual(expect.arrayContaining(["Apple", "Pear"]));
});

test("a page is printed to a PDF", async () => {
  const { artifactId } = await world.act({ browser_pdf: { tabId } });
  expect(world.server.artifacts.get(artifactId as string)!.body.subarray(0, 5).toString()).toBe("%PDF-");
});
