/** Fields: text of every script into every kind of field, choices, files and keys. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
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
beforeEach(async () => void (await world.go(tabId, page, "/form")));

const type = async (name: string, text: string, more: Record<string, unknown> = {}) => await world.act({ browser_type: { tabId, clickId: await world.find(tabId, name), text, ...more } });
const value = async (id: string) => await page.inputValue(`#${id}`);

test("any text replaces what a field held, as trusted input", async () => {
  for (const text of ["Ada", "a~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./ Z", "你好，世界", "مرحبا 👩‍👩‍👧 ñ é", "x".repeat(5000), ""]) {
    expect(await type("Name", text)).toMatchObject({ typed: true, strategy: "cdp_key" });
    await expect.poll(() => value("name")).toBe(text);
  }
  const seen = (await page.evaluate("seen")) as [string, string, boolean][];
  expect(seen.filter(([kind]) => kind === "input").every(([, , isTrusted]) => isTrusted)).toBe(true);
});

test("append keeps what is there; lines stay lines in a text area", async () => {
  await type("Name", " and new", { append: true });
  await expect.poll(() => value("name")).toBe("old and new");
  await type("Your story", "one\ntwo\n三");
  await expect.poll(() => value("area")).toBe("one\ntwo\n三");
});

test("an editor is written to as well", async () => {
  await type("Rich", "brand new ✓");
  await expect.poll(async () => (await page.innerText("#rich")).trim()).toBe("brand new ✓");
  await type("Rich", "plain");
  await expect.poll(async () => (await page.innerText("#rich")).trim()).toBe("plain");
});

test("submit presses Enter", async () => {
  const result = await type("Name", "Grace", { submit: true });
  await expect.poll(() => page.textContent("#out")).toBe("Sent Grace");
  expect(result["changes"].added).toContain('status "Sent Grace"');
});

test("a password is typed and never told", async () => {
  const result = await type("Password", "s3cret");
  await expect.poll(() => value("pass")).toBe("s3cret");
  expect(JSON.stringify([result, await world.index(tabId)])).not.toContain("s3cret");
});

test("a field that keeps less than was typed is reported", async () => {
  expect((await type("Short", "abcdef"))["warnings"]).toEqual(['The field now holds "abc".']);
});

test("dates are set in their one format, and anything else is refused with it", async () => {
  expect(await type("Date", "2026-02-03")).toMatchObject({ strategy: "dom_input" });
  await expect.poll(() => value("date")).toBe("2026-02-03");
  expect(await world.refusal({ browser_type: { tabId, clickId: await world.find(tabId, "Date"), text: "soon" } })).toMatchObject({ code: "INVALID_TARGET", details: { format: "YYYY-MM-DD" } });
  await expect.poll(() => value("date")).toBe("2026-02-03");
});

test("without the debugger the text is set by script", async () => {
  expect(await type("Name", "by script", { strategy: "dom_input" })).toMatchObject({ strategy: "dom_input" });
  await expect.poll(() => value("name")).toBe("by script");
});

test("what takes no text, or is disabled, says so", async () => {
  for (const name of ["Save", "Disabled"]) {
    expect(await world.refusal({ browser_type: { tabId, clickId: await world.find(tabId, name), text: "x" } })).toMatchObject({ code: "INVALID_TARGET" });
  }
  expect(await world.refusal({ browser_click: { tabId, clickId: await world.find(tabId, "Disabled") } })).toMatchObject({ code: "INVALID_TARGET", details: { disabled: true } });
});

test("options are chosen by value or label, all or none", async () => {
  const city = await world.find(tabId, "City");
  const many = await world.find(tabId, "Many");
  const choose = (clickId: string, values: string[]) => ({ browser_select_option: { tabId, clickId, values } });
  const first = await world.act(choose(city, ["p"]));
  expect(first["selected"]).toEqual(["Paris"]);
  expect(first["changes"].added[0]).toContain('= "Paris"');
  expect((await world.act(choose(city, ["Berlin"])))["selected"]).toEqual(["Berlin"]);
  expect((await world.act(choose(many, ["One", "Three"])))["selected"]).toEqual(["One", "Three"]);
  for (const values of [["London"], ["Nowhere"], ["b", "p"]]) expect(await world.refusal(choose(city, values))).toMatchObject({ code: "INVALID_TARGET" });
  await expect.poll(() => value("city")).toBe("b");
  expect(await world.refusal({ browser_click: { tabId, clickId: city } })).toMatchObject({ code: "INVALID_TARGET", details: { hint: expect.stringContaining("browser_select_option") } });
});

test("keys and combinations reach the page and the browser's own editing", async () => {
  const name = await world.find(tabId, "Name");
  await world.act({ browser_press_key: { tabId, key: "Control+a", clickId: name } });
  await world.act({ browser_press_key: { tabId, key: "X" } });
  await expect.poll(() => value("name")).toBe("X");
  await world.act({ browser_press_key: { tabId, key: "Tab" } });
  await expect.poll(() => page.evaluate(() => document.activeElement!.id)).toBe("city");
  await world.act({ browser_press_key: { tabId, key: "Space", clickId: await world.find(tabId, "I agree") } });
  await expect.poll(() => page.isChecked("#check")).toBe(true);
  expect(await world.refusal({ browser_press_key: { tabId, key: "Hyper+q" } })).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED" });
});

test("a file input is not clicked but given the server's artifacts", async () => {
  const clickId = await world.find(tabId, "Attachment");
  expect(await world.refusal({ browser_click: { tabId, clickId } })).toMatchObject({ code: "INVALID_TARGET", details: { hint: expect.stringContaining("browser_upload") } });
  const artifacts = [world.server.put("a.txt", Buffer.from("alpha"), "text/plain"), world.server.put("空.txt", Buffer.from("β"), "text/plain")];
  const result = await world.act({ browser_upload: { tabId, clickId, artifactIds: artifacts.map((one) => one.artifactId) } }, { artifacts });
  expect(result).toMatchObject({ uploaded: true, files: ["a.txt", "空.txt"] });
  await expect.poll(() => page.textContent("#out")).toBe("a.txt=alpha,空.txt=β");
  expect(await world.refusal({ browser_upload: { tabId, clickId, artifactIds: ["art-none"] } })).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED", details: { fieldErrors: [{ field: "artifactIds" }] } });
});

test("fields in frames of another site take text", async () => {
  await world.go(tabId, page, "/frames");
  await world.act({ browser_wait_for_loaded: { tabId } });
  await type("Field cross", "über frames");
  expect(await page.frameLocator("#cross").locator("#field").inputValue()).toBe("über frames");
});

test("malformed parameters are refused with the name of the field, and nothing is done", async () => {
  const clickId = await world.find(tabId, "Name");
  const cases: [Record<string, unknown>, string][] = [
    [{ browser_type: { tabId, clickId } }, "text"],
    [{ browser_type: { tabId, clickId, text: 5 } }, "text"],
    [{ browser_type: { clickId, text: "x" } }, "tabId"],
    [{ browser_click: { tabId: "1", clickId } }, "tabId"],
    [{ browser_click: { tabId } }, "clickId"],
    [{ browser_click: { tabId, clickId, strategy: "magic" } }, "strategy"],
    [{ browser_navigate: { tabId, url: "not a url" } }, "url"],
    [{ browser_navigate: { tabId, url: "http://user:pass@example.org/" } }, "url"],
    [{ browser_navigate: { tabId, url: "javascript:alert(1)" } }, "url"],
    [{ browser_select_option: { tabId, clickId, values: [] } }, "values"],
    [{ browser_dom_index: { tabId, limit: 0 } }, "limit"],
    [{ browser_wait_for: { tabId } }, "text"],
    [{ browser_click: { tabId, clickId, timeoutMs: -1 } }, "timeoutMs"],
    [{ browser_dance: {} }, "action.browser_dance"],
    [{}, "action"],
  ];
  for (const [action, field] of cases) {
    const error = await world.refusal(action);
    expect(error, JSON.stringify(action)).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED", details: { fieldErrors: [{ field }] } });
    expect(error["message"]).toContain(field);
  }
  // The second part of a message is checked before the first is done.
  await world.refusal({ browser_type: { tabId, clickId, text: "changed" }, browser_scroll: { tabId, direction: "sideways" } });
  await expect.poll(() => value("name")).toBe("old");
});
