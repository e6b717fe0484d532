/** The page view, its text and what can be acted on: complete, in order, and nothing that a person can't see. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/view"));
});
afterAll(() => world.close());

const view = async (more: Record<string, unknown> = {}) => await world.act({ browser_page: { tabId, ...more } });
const plain = (line: string): string => line.replace(/\[(?:f\d+:)?\d+ ?/g, "[");

test("text and elements are told in reading order, numbers in place, and nothing is missing or merged", async () => {
  await world.go(tabId, page, "/view");
  await world.act({ browser_wait_for_loaded: { tabId } });
  const { lines, above, below } = await view();
  expect((lines as string[]).map(plain)).toEqual([
    "# Shop",
    "[Home][Cart (2)]",
    "Tea costs 4.20 today.",
    "Item | Price",
    "Tea | 4.20 | [Buy tea]",
    "[textbox Email]",
    "Enter a valid address",
    "[combobox Size = Large]",
    "[London]",
    "[Paris]",
    "[1] | [2]",
    "[3] | [4]",
    "[Folder][File][Other]",
    "[Only a listener]",
    "[Delegated]",
    '[(#menu-toggle beside "Slotted name")][Slotted name]',
    "[] A card with words [Inside the card]",
    "[Button][textbox Field][Close me]",
    "[In the modal]",
  ]);
  expect([above, below > 2000]).toEqual([0, true]);
});

test("each number acts on what it stands beside", async () => {
  await world.go(tabId, page, "/view");
  const { lines } = await view();
  for (const [name, title] of [["Only a listener", "plain"], ["File", "File"], ["Delegated", "delegated"]]) {
    const clickId = new RegExp(`\\[(\\d+) ${name}\\]`).exec((lines as string[]).join("\n"))![1];
    await world.act({ browser_click: { tabId, clickId } });
    await expect.poll(() => page.title()).toBe(title);
  }
  const { matches } = await world.act({ browser_find_text: { tabId, text: "only a LISTENER" } });
  expect(lines).toContain(`[${matches[0].clickId} Only a listener]`);
});

test("an element that a page names differently than it shows is told with both", async () => {
  await world.go(tabId, page, "/hidden");
  await page.evaluate(() => (document.body.innerHTML = '<button aria-label="Cancel">Delete all</button><a href="/x" aria-label="Buy tea">Buy</a><button><span aria-hidden="true">Visible words</span></button>'));
  expect(((await view())["lines"] as string[]).map(plain)).toEqual(['[Cancel (shows "Delete all")][Buy tea][(shows "Visible words")]']);
  expect((await world.index(tabId)).map(({ name, hint }) => [name, hint])).toEqual([["Cancel", '(shows "Delete all")'], ["Buy tea", undefined], ["", '(shows "Visible words")']]);
});

test("a long page comes in parts that fit together, and all of it on request", async () => {
  await world.go(tabId, page, "/view");
  const { lines: whole, total } = await view({ scope: "document" });
  expect(whole).toContain("Far below");
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const part: Record<string, any> = await view({ scope: "document", offset, limit: 200 });
    parts.push(...part["lines"]);
    offset = part["nextOffset"];
  }
  expect(parts).toEqual(whole);
  expect(total).toBe(whole.length);
});

/** An estimate of a model's tokens: words, groups of three digits, and marks. */
const length = (text: string): number => text.match(/\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu)!.length;

for (const name of ["article", "dashboard", "form", "issues", "shop"]) {
  test(`a view of an ordinary page has its text, and at most four more words and marks for each element: ${name}`, async () => {
    const { tabId, page } = await world.visit(`/ordinary/${name}`);
    const { lines } = await world.act({ browser_page: { tabId, scope: "document", limit: 50_000 } });
    const fields = await page.locator("input:not([type=checkbox],[type=radio]),textarea").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value || (one as HTMLInputElement).placeholder));
    const seen = [await page.evaluate(() => document.body.innerText), ...fields].join("\n");
    const [count, cells] = [/\[\d+/g, / \| /g].map((mark) => (lines.join("\n").match(mark) ?? []).length) as [number, number];
    expect(length(lines.join("\n"))).toBeLessThanOrEqual(length(seen) + 4 * count + cells);
    const words = await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) => (node.parentElement!.closest("script,style,select,.sr") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
      const found: string[] = [];
      while (walker.nextNode()) found.push(...(walker.currentNode.textContent!.match(/\p{L}{3,}/gu) ?? []));
      return found;
    });
    for (const word of words) expect(lines.join("\n")).toContain(word);
  });
}

test("a control among the words of its label is told there, once", async () => {
  await world.go(tabId, page, "/ordinary/form");
  expect(((await view({ scope: "document" }))["lines"] as string[]).map(plain)).toContain("[checkbox] I have read the [terms] and the [privacy notice]");
});

const put = async (html: string, script = "") => {
  await world.go(tabId, page, "/hidden");
  await page.evaluate(([html, script]) => { document.body.innerHTML = html!; (0, eval)(script!); }, [html, script] as const);
};
const numbered = (lines: string[], name: string): string => new RegExp(`\\[(\\d+)[^\\]]*${name}`).exec(lines.join("\n"))![1]!;

test("a label whose field is hidden is told, and ticks the box that its own drawing stands for", async () => {
  const sr = 'style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"';
  await put(`<label><input type="checkbox" ${sr}>Accept terms</label><br><input type="radio" id="r" ${sr}><label for="r">Express</label><br><label for="s">Colours</label><select id="s" ${sr}><option>Red</option></select>`);
  const lines = (await view())["lines"] as string[];
  expect(lines.map(plain)).toEqual(["[checkbox Accept terms]", "[radio Express]", "Colours"]);
  await world.act({ browser_click: { tabId, clickId: numbered(lines, "Accept terms") } });
  expect(await page.isChecked("[type=checkbox]")).toBe(true);
});

test("what is in a slot that listens, or in a shadow tree with several controls, is told", async () => {
  await put('<a-menu><button>Edit</button></a-menu><b-card id="card"></b-card>', `
    const tree = (host, html) => Object.assign(document.querySelector(host).attachShadow({ mode: "open" }), { innerHTML: html });
    tree("a-menu", "<slot id=trigger></slot>").querySelector("slot").onclick = () => undefined;
    tree("b-card", "<button>Keep</button> <button>Drop</button>").host.onclick = () => undefined`);
  await world.index(tabId);
  const told = ((await view())["lines"] as string[]).join(" ");
  for (const name of ["Edit", "Keep", "Drop"]) expect(told).toMatch(new RegExp(`\\[\\d+ ${name}\\]`));
});

test("a form whose fields hide its own properties is told like any other", async () => {
  const names = ["localName", "tagName", "hasAttribute", "childNodes", "firstChild", "nodeType", "parentNode", "checkVisibility", "matches", "children", "id"];
  await put(`<form><p>Words in it</p>${names.map((name) => `<input name="${name}">`).join("")}<button>Send</button></form>`);
  for (const scope of ["viewport", "document"]) expect(JSON.stringify(await view({ scope }))).toContain("Words in it");
});

test("a choice by label takes only what the list itself offers, and opens it again for the next one", async () => {
  await put('<table><tr><td onclick="document.title=\'the wrong one\'">Tea</td></tr></table><div id="list" role="combobox" tabindex="0">Choose</div><p id="chosen"></p>', `
    list.onclick = () => { const open = document.createElement("ul"); open.innerHTML = "<li role=option>Tea</li><li role=option>Milk</li>"; document.body.append(open);
      open.onclick = ({ target }) => { chosen.textContent += target.textContent + " "; open.remove(); }; }`);
  const list = numbered((await view())["lines"] as string[], "combobox");
  await world.act({ browser_select_option: { tabId, clickId: list, values: ["Tea", "Milk"] } });
  expect([await page.textContent("#chosen"), await page.title()]).toEqual(["Tea Milk ", expect.not.stringContaining("wrong")]);
});

test("a paragraph whose first line is above the view is told as long as others can be read", async () => {
  await world.go(tabId, page, "/ordinary/form");
  await page.evaluate(() => {
    document.body.innerHTML = `<p style="width:200px;font:20px/30px serif">${"First lines of it. ".repeat(20)}And the last words.</p><div style="height:3000px"></div>`;
    scrollTo(0, 100);
  });
  expect((await view())["lines"].join(" ")).toContain("And the last words.");
});

test("no text that is hidden in whichever way is told, read or found", async () => {
  await world.go(tabId, page, "/truth");
  const told = [await view(), await view({ scope: "document" }), await world.act({ browser_readability_extract: { tabId } })];
  for (const one of told) expect(JSON.stringify(one)).not.toContain("Planted");
  expect(JSON.stringify(told[2])).toContain("Tea | 4.20");
  expect(await world.act({ browser_find_text: { tabId, text: "Planted" } })).toMatchObject({ total: 0 });
  await page.evaluate(() => document.getElementById("over")!.remove());
  expect((await view())["lines"]).toContain("Planted: under");
});

test("an article is read without what its styles hide", async () => {
  await world.go(tabId, page, "/text?times=40");
  await page.evaluate(() => {
    const hidden = Object.assign(document.createElement("p"), { className: "x", textContent: "Planted in the article, and long enough to count as a part of it, if it could be seen." });
    document.querySelector("article")!.append(hidden, Object.assign(document.createElement("style"), { textContent: ".x { display: none }" }));
  });
  const { markdown } = await world.act({ browser_readability_extract: { tabId } });
  expect(markdown).toContain("A sentence that fills the page");
  expect(markdown).not.toContain("Planted");
});
