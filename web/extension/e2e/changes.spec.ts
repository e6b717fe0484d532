/** "No change" is said only of a page that looks the same, and only what the action changed is told. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/hidden"));
});
afterAll(() => world.close());

/** What a click on the button tells, which was put there with the rest of the page. */
async function told(html: string, script: string, css = "", before = ""): Promise<Record<string, any>> {
  await page.evaluate(([html, script, css, before]) => {
    document.adoptedStyleSheets = [];
    document.head.innerHTML = `<title>Changes</title><style>${css}</style>`;
    document.body.innerHTML = `<button id="go">Go</button>${html}`;
    if (before) (0, eval)(before);
    document.getElementById("go")!.onclick = () => (0, eval)(script);
  }, [html, script, css, before] as const);
  await world.act({ browser_page: { tabId } });
  return await click();
}

const click = async () => await world.act({ browser_click: { tabId, xpath: "//*[@id='go']" } });

const FRAME = "<iframe id='f' srcdoc='<p id=p>In the frame</p>'></iframe>";
const LOADED = "new Promise(done => { document.getElementById('f').onload = done; })";
const LOOKS: Record<string, [html: string, script: string, css?: string, before?: string]> = {
  "a drawing": ["<canvas id=c></canvas>", "c.getContext('2d').fillRect(0, 0, 50, 50)", "", "c.getContext('2d').fillRect(99, 99, 9, 9)"],
  "a drawing that can't be read": ["<canvas id=c></canvas>", "g.clearColor(1, 0, 0, 1); g.clear(16384)", "", "g = c.getContext('webgl')"],
  "a picture": ["<img id=i width=9 height=9 src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\"/>'>", "i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='"],
  "a part of a vector drawing": ["<svg><circle id=k r=9 /></svg>", "k.setAttribute('cx', 70)"],
  "a state that styles show": ["<div id=d>Box</div>", "d.dataset.state = 'on'", "[data-state=on]{background:red}"],
  "a further style sheet": ["<p>Text</p>", "sheet = new CSSStyleSheet(); sheet.replaceSync('p{color:red}'); document.adoptedStyleSheets = [sheet]"],
  "a scripted animation": ["<p id=d>Text</p>", "d.animate([{ opacity: 1 }, { opacity: .5 }], { duration: 1, fill: 'forwards' })"],
  "the page's scroll position": ["<p style='height:3000px'>Text</p>", "scrollTo(0, 999)"],
  "a list's scroll position": ["<div id=s style='height:90px;overflow:auto'><p style='height:900px'>Text</p></div>", "s.scrollTop = 99"],
  "text in the colour of the page": ["<p id=d></p>", "d.innerHTML = '<i style=color:#fff>Planted</i>'"],
  "text under something else": ["<p id=d></p><div class=o>Over</div>", "d.innerHTML = '<i>Planted</i>'", "p{position:absolute;top:99px}.o{position:fixed;inset:90px 0 0 0;background:#fff}"],
};
for (const [what, [html, script, css, before]] of Object.entries(LOOKS)) {
  test(`a change of the look alone is told: ${what}`, async () => {
    expect((await told(html, script, css, before))["changes"]).toEqual({ look: true });
  });
}

test("a page that stays the same is told as that", async () => {
  expect(await told("<canvas id=c></canvas><p id=d>Text</p>", "d.setAttribute('aria-busy', 'true')", "", "c.getContext('2d').fillRect(9, 9, 9, 9)")).not.toHaveProperty("changes");
});

test("what left the page before the action isn't its doing", async () => {
  await told("<p id=note>Passing note</p><button id=other>Other</button>", "");
  await page.evaluate(() => [...document.querySelectorAll("#note,#other")].forEach((one) => one.remove()));
  expect(await click()).not.toHaveProperty("changes");
});

test("a part that unfolds is told with its text", async () => {
  expect((await told("<div id=d style='height:0;overflow:hidden'><p>Unfolded text</p></div>", "d.style.height = '80px'"))["changes"]).toEqual({ added: ['text "Unfolded text"'] });
});

test("an unanswered request is told, so that nobody takes the silence for a result", async () => {
  const { changes, warnings } = await told("", "fetch('/held')");
  expect([changes, warnings]).toEqual([undefined, ["The page still waits for its server's answer: look at it again."]]);
  world.sites.release();
});

test("what changes in a frame of the page is told with its frame", async () => {
  const inside = await told(FRAME, "f.contentDocument.body.innerHTML = '<p>New in the frame</p><button>Next</button>'", "", LOADED);
  expect(inside["changes"]["added"]).toEqual([expect.stringMatching(/^f\d+:\d+ button "Next"$/), 'text "New in the frame"']);
  expect((await told(FRAME, "f.src = '/form'; f.removeAttribute('srcdoc')", "", LOADED))["changes"]["added"]).toEqual([`frame now at ${world.sites.here}/form`]);
});

test("what an action in a frame changes around it is told", async () => {
  await told(FRAME, "", "", LOADED);
  await page.evaluate(() => {
    const inner = (document.getElementById("f") as HTMLIFrameElement).contentDocument!;
    inner.body.innerHTML = "<button>Inside</button>";
    inner.querySelector("button")!.onclick = () => document.body.append("Told outside");
  });
  const clickId = (await world.index(tabId)).find((one) => one["name"] === "Inside")!["clickId"];
  expect((await world.act({ browser_click: { tabId, clickId } }))["changes"]["added"]).toContain('text "Go Told outside"');
});
