/** Real widget libraries: everything clickable is listed under its name and can be operated. */

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

async function open(name: string): Promise<void> {
  await world.act({ browser_navigate: { tabId, url: `${world.sites.here}/widget/${name}`, timeoutMs: 60_000 } });
  await expect.poll(() => page.title().catch(String)).toBe("ready");
}

const elements = async () => await world.index(tabId);
const line = ({ role, tag, name, hint }: Record<string, any>): string => `${role === "generic" ? tag : role} ${name || hint || ""}`.trim();
const lines = async (): Promise<string[]> => (await elements()).map(line);

async function find(wanted: string | RegExp): Promise<string> {
  const all = await elements();
  const found = all.find((one) => (typeof wanted === "string" ? line(one) === wanted : wanted.test(line(one))));
  if (!found) throw new Error(`no ${wanted} among\n${all.map(line).join("\n")}`);
  return found["clickId"] as string;
}

const click = async (wanted: string | RegExp, more: Record<string, unknown> = {}) => await world.act({ browser_click: { tabId, clickId: await find(wanted), ...more } });
const type = async (wanted: string | RegExp, text: string, more: Record<string, unknown> = {}) => await world.act({ browser_type: { tabId, clickId: await find(wanted), text, ...more } });
const told = () => page.textContent("#told");

test("Monaco with EditContext takes text, keys and a whole new text", async () => {
  await open("monaco");
  await world.act({ browser_click: { tabId, xpath: '//*[@id="editor"]//*[contains(@class,"view-lines")]' } });
  await world.act({ browser_press_key: { tabId, key: "Control+End" } });
  const typed = await world.act({ browser_type: { tabId, text: "two(2);" } });
  await expect.poll(() => page.evaluate("editor.getValue()")).toBe("const one = 1;\ntwo(2);");
  expect(JSON.stringify(typed["changes"])).toContain("two(2);");
  await world.act({ browser_press_key: { tabId, key: "Control+a" } });
  await world.act({ browser_type: { tabId, text: "three\nfour" } });
  await expect.poll(() => page.evaluate("editor.getValue()")).toBe("three\nfour");
});

test("CodeMirror is a text field", async () => {
  await open("codemirror");
  await type(/^textbox/, "let x = 1;\nlet y = 2;");
  await expect.poll(() => page.evaluate("editor.state.doc.toString()")).toBe("let x = 1;\nlet y = 2;");
});

test("TipTap takes text and a selection its formatting", async () => {
  await open("tiptap");
  await type(/^textbox/, "Hello bold world");
  await expect.poll(() => page.evaluate("editor.getText()")).toBe("Hello bold world");
  await world.act({ browser_select_text: { tabId, clickId: await find(/^textbox/), text: "bold" } });
  await click("button Bold");
  await expect.poll(() => page.evaluate("editor.getHTML()")).toContain("<strong>bold</strong>");
});

test("SortableJS is sorted by dragging one item to another", async () => {
  await open("sortable");
  await world.act({ browser_drag: { tabId, clickId: await find(/Apple$/), toClickId: await find(/Cherry$/) } });
  await expect.poll(() => page.locator("li").allTextContents()).toEqual(["Banana", "Cherry", "Apple"]);
});

test("jQuery UI: suggestions, dates, arrows, menus, sliders, sections and selections", async () => {
  await open("jqueryui");
  await type(/^textbox Country/, "D");
  await expect.poll(async () => (await lines()).filter((one) => one.endsWith("Denmark")).length).toBeGreaterThan(0);
  await click(/Denmark$/);
  expect(await page.inputValue("#country")).toBe("Denmark");
  await click(/^textbox Day/);
  await click("link 14");
  expect(await page.inputValue("#day")).toBe("03/14/2026");
  await click(/^button .*triangle-1-n/);
  expect(await page.inputValue("#count")).toBe("2");
  await click("menuitem File");
  await expect.poll(lines).toContain("menuitem Print");
  await click("menuitem Print");
  await expect.poll(told).toBe("Print");
  await click(/#ui-slider-handle/);
  await world.act({ browser_press_key: { tabId, key: "ArrowRight" } });
  await expect.poll(told).toBe("at 1");
  await click("tab Beta");
  await expect.poll(async () => JSON.stringify(await world.act({ browser_page: { tabId } }))).toContain("Beta text");
  await click(/Green$/);
  await expect.poll(told).toBe("picked Green");
});

test("Select2 chooses by label", async () => {
  await open("select2");
  await world.act({ browser_select_option: { tabId, clickId: await find(/^combobox/), values: ["Utah"] } });
  await expect.poll(() => page.inputValue("#state")).toBe("Utah");
});

test("Select2 chooses several, although its list closes after each", async () => {
  await open("select2");
  await page.evaluate("$('#state').select2('destroy').prop('multiple', true).select2()");
  await world.act({ browser_select_option: { tabId, clickId: await find(/^combobox/), values: ["Utah", "Texas"] } });
  await expect.poll(() => page.evaluate("$('#state').val().join()")).toBe("Alaska,Texas,Utah");
});

test("flatpickr opens, names its days, and takes one", async () => {
  await open("flatpickr");
  await click(/^textbox Date/);
  await click(/March 20, 2026/);
  await expect.poll(() => page.inputValue("#date")).toBe("2026-03-20");
});

test("ag-grid: sort, pick a row, edit a cell, scroll to more", async () => {
  await open("aggrid");
  await click(/price/i);
  await expect.poll(() => page.locator('[row-index="0"] [col-id="price"]').textContent()).toBe("0");
  await click("gridcell Row 0");
  await expect.poll(told).toBe("clicked Row 0");
  await click(/^checkbox/);
  await world.act({ browser_click: { tabId, clickId: await find("gridcell 0"), clicks: 2 } });
  await world.act({ browser_press_key: { tabId, key: "Control+a" } });
  await world.act({ browser_type: { tabId, text: "777" } });
  await world.act({ browser_press_key: { tabId, key: "Enter" } });
  await expect.poll(told).toBe("now 777");
  await world.act({ browser_scroll: { tabId, clickId: await find(/^gridcell Row/), direction: "down", amount: 3000, wheel: true } });
  await expect.poll(async () => (await lines()).filter((one) => /^gridcell Row/.test(one)).length).toBeGreaterThan(0);
});

test("Shoelace: buttons by their slotted text, fields, switches, lists and tabs", async () => {
  await open("shoelace");
  await click("button Save it");
  await expect.poll(told).toBe("saved");
  await type(/^textbox Name/, "Ada");
  expect(await page.evaluate("document.querySelector('sl-input').value")).toBe("Ada");
  await click(/^switch Dark/);
  expect(await page.evaluate("document.querySelector('sl-switch').checked")).toBe(true);
  await world.act({ browser_select_option: { tabId, clickId: await find(/^combobox Fruit/), values: ["Pear"] } });
  await expect.poll(() => page.evaluate("document.querySelector('sl-select').value")).toBe("p");
  await click("tab Two");
  await expect.poll(async () => JSON.stringify(await world.act({ browser_page: { tabId } }))).toContain("Second panel");
});

test("Material Web: buttons, boxes, switches, fields, lists and tabs", async () => {
  await open("material");
  await click("button Save");
  await expect.poll(told).toBe("saved");
  await click(/^checkbox Agree/);
  expect(await page.evaluate("document.querySelector('md-checkbox').checked")).toBe(true);
  await click(/^switch Dark/);
  expect(await page.evaluate("document.querySelector('md-switch').selected")).toBe(true);
  await type(/^textbox City/, "Rome");
  expect(await page.evaluate("document.querySelector('md-outlined-text-field').value")).toBe("Rome");
  await world.act({ browser_select_option: { tabId, clickId: await find(/^combobox Size/), values: ["Large"] } });
  await expect.poll(() => page.evaluate("document.querySelector('md-filled-select').value")).toBe("l");
  await click("md-primary-tab Mail");
  expect(await page.evaluate("document.querySelectorAll('md-primary-tab')[1].active")).toBe(true);
});

test("Leaflet: markers by their name, zoom, a click on the map, dragging and the wheel", async () => {
  await open("leaflet");
  const map = await find(/#map/);
  await click(/London$/);
  await expect.poll(async () => JSON.stringify(await world.act({ browser_page: { tabId } }))).toContain("The capital");
  await click(/Zoom in/);
  await expect.poll(told).toContain("at 11");
  await world.act({ browser_click: { tabId, clickId: map, x: 100, y: 300 } });
  await expect.poll(told).toContain("clicked at");
  await world.act({ browser_drag: { tabId, clickId: map, x: 100, y: 100, dx: 0, dy: 150 } });
  await expect.poll(told).toContain("moved to 51.6");
});
