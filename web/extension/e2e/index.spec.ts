/** The index: which elements it finds, their names, and that a number never means another element. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "./world";

let world: World;
beforeAll(async () => void (world = await World.open()));
afterAll(() => world.close());

const names = (elements: Record<string, any>[]): string[] => elements.map((one) => one["name"] as string);

test("names are those of a screen reader, and unreachable elements are left out", async () => {
  const { tabId, page } = await world.visit("/names");
  const elements = await world.index(tabId);
  expect(names(elements)).toEqual([
    "Delete the file", "Close dialog", "Home page", "Only title", "Drawn name", "Search here", "Submit", "Two words", "Card", "Accept", "Menu",
    "Styled box", "Drawn box", "More", "Hidden from readers", "Role button", "Contents link",
  ]);
  const byName = (name: string) => elements.find((one) => one["name"] === name)!;
  expect(byName("Accept")).toMatchObject({ role: "checkbox", states: ["checked"], tag: "div" });
  expect(byName("Menu")["states"]).toEqual(["collapsed"]);
  expect(byName("Search here")).toMatchObject({ role: "searchbox", tag: "input" });
  expect(byName("Styled box")).toMatchObject({ role: "checkbox", tag: "input" });
  expect(byName("Drawn box")).toMatchObject({ role: "checkbox", tag: "label", states: ["checked"] });
  await world.act({ browser_click: { tabId, clickId: byName("Styled box")["clickId"] } });
  await world.act({ browser_click: { tabId, clickId: byName("Drawn box")["clickId"] } });
  expect(await page.evaluate(() => [...document.querySelectorAll<HTMLInputElement>("label input")].map((one) => one.checked))).toEqual([true, false]);
});

test("numbers stay with their elements through further indexes, and new elements get new ones", async () => {
  const { tabId, page } = await world.visit("/form");
  const before = await world.index(tabId);
  await page.evaluate(() => document.querySelector("h1")!.insertAdjacentHTML("afterend", "<button>First now</button>"));
  const after = await world.index(tabId);
  expect(after[0]).toMatchObject({ name: "First now" });
  for (const one of before) expect(after.find((other) => other["clickId"] === one["clickId"])!["name"]).toBe(one["name"]);
  expect(before.map((one) => one["clickId"])).not.toContain(after[0]!["clickId"]);
});

test("a removed element is stale, and its number is not reused on the next page", async () => {
  const { tabId, page } = await world.visit("/form");
  const save = await world.find(tabId, "Save");
  await page.evaluate(() => document.getElementById("save")!.remove());
  expect(await world.refusal({ browser_click: { tabId, clickId: save } })).toMatchObject({ code: "INVALID_TARGET", details: { stale: true } });
  await world.go(tabId, page, "/form");
  const fresh = await world.index(tabId);
  expect(fresh.map((one) => one["clickId"])).not.toContain(save);
  expect(await world.refusal({ browser_click: { tabId, clickId: save } })).toMatchObject({ code: "INVALID_TARGET", details: { stale: true } });
  expect(await page.textContent("#out")).toBe("");
  for (const clickId of ["99999", "f9:1", "nonsense"]) {
    expect(await world.refusal({ browser_click: { tabId, clickId } })).toMatchObject({ code: "INVALID_TARGET", details: { stale: true } });
  }
});

test("frames of the same and of another site are indexed and named by their frame; hidden ones are not", async () => {
  const { tabId, page } = await world.visit("/frames");
  await world.act({ browser_wait_for_loaded: { tabId } });
  const elements = await world.index(tabId, { boxes: true });
  const found = names(elements);
  for (const name of ["Top button", "Button same", "Button cross", "Srcdoc button", "Button scaled", "Button shadow", "Button nested"]) expect(found).toContain(name);
  expect(found).not.toContain("Button hidden");
  const cross = elements.find((one) => one["name"] === "Button cross")!;
  expect(cross["clickId"]).toMatch(/^f\d+:\d+$/);
  // 5 px border, 7 px padding and 8 px margin inside the frame.
  const frame = await page.locator("#cross").boundingBox();
  expect(cross["bbox"].x).toBeCloseTo(frame!.x + 5 + 7 + 8, -1);
  expect(names(elements).indexOf("Button nested")).toBeGreaterThan(names(elements).indexOf("Button cross"));
});

test("open and closed shadow roots are indexed, also below plain elements", async () => {
  const { tabId, page } = await world.visit("/shadow");
  expect(names(await world.index(tabId))).toEqual(expect.arrayContaining(["Open", "Open field", "Closed", "Closed field", "Plain", "Plain field"]));
  for (const name of ["Open", "Closed", "Plain"]) {
    await world.act({ browser_click: { tabId, clickId: await world.find(tabId, name) } });
    await expect.poll(() => page.title()).toBe(`${name} true`);
  }
});

test("an element with only a listener is found by the debugger", async () => {
  const { tabId, page } = await world.visit("/listeners");
  await world.act({ browser_click: { tabId, clickId: await world.find(tabId, "Quiet target") } });
  await expect.poll(() => page.title()).toBe("heard true");
});

test("a long page comes in parts, what is in view first", async () => {
  const { tabId, page } = await world.visit("/many?count=5000");
  await page.evaluate(() => scrollTo(0, 20_000));
  const first = await world.act({ browser_dom_index: { tabId, limit: 50 } });
  expect(first).toMatchObject({ total: 5000, nextOffset: 50, title: "Many", url: `${world.sites.here}/many?count=5000` });
  const inView = await page.evaluate(() => [...document.querySelectorAll("button")].find((one) => one.getBoundingClientRect().bottom > 0)!.textContent);
  expect(first["elements"][0]["name"]).toBe(inView);
  const second = await world.act({ browser_dom_index: { tabId, limit: 50, offset: 50 } });
  expect(second["elements"]).toHaveLength(50);
  expect(new Set([...first["elements"], ...second["elements"]].map((one) => one["clickId"])).size).toBe(100);
  const view = await world.act({ browser_dom_index: { tabId, scope: "viewport" } });
  expect(view["total"]).toBeLessThan(60);
});

test("the attribute is written only where it is asked for", async () => {
  const { tabId, page } = await world.visit("/form");
  await world.index(tabId);
  expect(await page.locator("[data-mimo_click_id]").count()).toBe(0);
  const clickId = (await world.index(tabId, { assignAttr: true }))[0]!["clickId"];
  expect(await page.getAttribute("#name", "data-mimo_click_id")).toBe(clickId);
});

test("an XPath of the scan leads to its element; none or several matches are refused with their count", async () => {
  const { tabId, page } = await world.visit("/form");
  const { elements } = await world.act({ browser_xpath_scan: { tabId } });
  const save = elements.find((one: Record<string, string>) => one["text"] === "Save");
  expect(save.xpath).toBe('//*[@id="save"]');
  expect(save.bbox).toMatchObject({ w: expect.any(Number) });
  await world.act({ browser_click: { tabId, xpath: save.xpath } });
  await expect.poll(() => page.textContent("#out")).toBe("Saved old");
  const none = await world.refusal({ browser_click: { tabId, xpath: "//button[@id='no']" } });
  expect(none).toMatchObject({ code: "INVALID_TARGET", details: { matches: 0 } });
  const several = await world.refusal({ browser_click: { tabId, xpath: "//button" } });
  expect(several).toMatchObject({ code: "INVALID_TARGET", details: { matches: 3 }, message: expect.stringContaining("3") });
  expect(await world.refusal({ browser_click: { tabId, xpath: "][" } })).toMatchObject({ code: "INVALID_TARGET" });
});
