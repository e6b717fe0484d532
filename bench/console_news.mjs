// A browser with the console open: `node console_news.mjs ADDRESS-WITH-CODE` prints a line for each title that appears.
import { createRequire } from "node:module";

const require = createRequire(new URL("../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
const page = await browser.newPage({ locale: "en-US" });
const address = process.argv[2];
await page.goto(address);
await page.locator(".connection.online").waitFor();
await page.goto(`${address.split("#")[0]}#/inbox`);
await page.locator(".inbox-page").waitFor();
await page.exposeFunction("report", (title, at) => console.log(JSON.stringify({ title, at })));
await page.evaluate(() => {
  const known = new Set();
  // The page's clock is the machine's: the wall clock at the page's start, and what has passed since.
  new MutationObserver(() => {
    const at = performance.timeOrigin + performance.now();
    for (const { textContent: title } of document.querySelectorAll(".waiting-row b")) {
      if (!known.has(title)) report(title, at);
      known.add(title);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
});
console.log(JSON.stringify({ title: "ready", at: await page.evaluate(() => performance.timeOrigin + performance.now()) }));
process.stdin.resume();
await new Promise((resolve) => process.stdin.on("end", resolve));
await browser.close();
