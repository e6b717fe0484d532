// `node console_talk.mjs ADDRESS-WITH-CODE LONG SHORT ROUNDS`: how long a fresh page takes until the task's newest message
// is in sight and a letter that was typed stands in the field; then what scrolling through the long one costs.
import { createRequire } from "node:module";

const require = createRequire(new URL("../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [address, long, short, rounds] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
const context = await browser.newContext({ locale: "en-US", viewport: { width: 1440, height: 900 } });
const first = await context.newPage();
await first.goto(address);
await first.locator(".connection.online").waitFor();
await first.close();

/** In a page of its own each time: nothing of the last one is left but what a browser keeps of files. */
async function open(task) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ entryTypes: ["longtask"] });
    const look = () => {
      const rows = document.querySelectorAll(".transcript-area .reply");
      const last = rows[rows.length - 1]?.getBoundingClientRect();
      const field = document.querySelector(".composer textarea");
      if (!last || last.top > innerHeight || !field) return requestAnimationFrame(look);
      field.addEventListener("input", () => requestAnimationFrame(() => { window.interactive = performance.now(); }), { once: true });
      field.focus();
      document.execCommand("insertText", false, "a");
    };
    addEventListener("DOMContentLoaded", () => requestAnimationFrame(look));
  });
  await page.goto(`${address.split("#")[0]}#/chat/${task}`);
  await page.waitForFunction(() => window.interactive > 0);
  return [page, await page.evaluate(() => window.interactive)];
}

const seen = { long: [], short: [], longest: 0, drawn: 0 };
for (let round = 0; round < Number(rounds); round++) {
  for (const [name, task] of [["short", short], ["long", long]]) {
    const [page, took] = await open(task);
    seen[name].push(took);
    if (name === "long" && round === Number(rounds) - 1) Object.assign(seen, await scroll(page));
    await page.close();
  }
}
console.log(JSON.stringify(seen));
await browser.close();

/** To the very first message, page by page as they are read; then down again at 400 px a frame. */
function scroll(page) {
  return page.evaluate(async () => {
    const area = document.querySelector(".transcript-area");
    const frame = () => new Promise(requestAnimationFrame);
    for (let tries = 0; tries < 5000 && (document.querySelector(".transcript .load-more") || area.scrollTop > 0); tries++) {
      area.scrollTop = 0;
      await frame();
    }
    window.longest = 0;
    let drawn = 0;
    for (let at = 0; at < 300; at++) {
      area.scrollBy(0, 400);
      await frame();
      drawn = Math.max(drawn, document.querySelectorAll("[data-entry]").length);
    }
    return { longest: window.longest, drawn };
  });
}
