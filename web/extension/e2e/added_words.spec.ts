/** Words that style sheets add before or after an element are seen, in whichever way they are added. */

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

const I = "<i class='x'></i>";
const ADDED: Record<string, [css: string, html: string, script?: string]> = {
  "a rule": [".x::before{content:'Mallory'}", I],
  "a rule of a medium": ["@media screen{@layer a{.x::after{content:'Mallory'}}}", I],
  "a rule in another": [".x{&::after{content:'Mallory'}}", I],
  "a rule with several kinds of declarations": [".x{b{color:red}&::after{b{color:red}content:'Mallory'}}", I],
  "an attribute": [".x::before{content:attr(title)}", "<i class='x' title='Mallory'></i>"],
  "a variable": [".x::before{content:var(--x)}:root{--x:'Mallory'}", I],
  "a rule that sets everything": [".x::before{all:revert;content:'Mallory'}", I],
  "an imported style": ["@import 'data:text/css,.x::before{content:\"Mallory\"}';", I],
  "an adopted style": ["", I, "const s=new CSSStyleSheet();s.replaceSync(\".x::before{content:'Mallory'}\");document.adoptedStyleSheets=[s]"],
  "a rule changed in place": [".x::before{content:''}", I, "document.styleSheets[0].cssRules[0].style.content='\"Mallory\"'"],
  "an animation": ["@keyframes k{from,to{content:'Mallory'}}.x::before{content:'';animation:k 1s infinite}", I],
  "an animation by script": [".x::before{content:''}", I, "document.querySelector('.x').animate([{content:'\"Mallory\"'},{content:'\"Mallory\"'}],{duration:1,fill:'forwards',pseudoElement:'::before'}).finish()"],
  "the styles of its shadow": ["", "<span id='h'></span>", "document.getElementById('h').attachShadow({mode:'closed'}).innerHTML=\"<style>:host::after{content:'Mallory'}</style>\""],
  "the styles of the shadow that it is put in": ["", "<span id='h'><i></i></span>", "document.getElementById('h').attachShadow({mode:'closed'}).innerHTML=\"<style>::slotted(i)::after{content:'Mallory'}</style><slot></slot>\""],
  "very many rules": [".y{color:red}".repeat(600) + ".x::before{content:'Mallory'}", I],
};

for (const [how, [css, html, script]] of Object.entries(ADDED)) {
  test(`added by ${how}`, async () => {
    await page.evaluate(async ([css, html, script]) => {
      document.adoptedStyleSheets = [];
      document.head.innerHTML = `<title>Added</title><style>${css}</style>`;
      document.body.innerHTML = `<button aria-label="Pay Bob">Pay ${html}</button>`;
      if (script) (0, eval)(script);
      await new Promise(requestAnimationFrame);
    }, [css, html, script] as const);
    await expect.poll(async () => (await world.index(tabId)).map(({ hint }) => hint)).toEqual(['(shows "Pay Mallory")']);
  });
}

test("an icon of a style sheet is no word", async () => {
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
    document.head.innerHTML = "<title>Added</title><style>*,::before{color:#111}.x::before{content:'✓'}q::before{content:none}</style>";
    document.body.innerHTML = "<button aria-label='Pay Bob'>Pay <i class='x'></i></button>";
  });
  expect((await world.index(tabId)).map(({ hint }) => hint)).toEqual([undefined]);
});
