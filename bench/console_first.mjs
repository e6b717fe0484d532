// `node console_first.mjs ADDRESS-WITH-CODE ROUNDS`: what the first view of an empty chat fetches, how far it shifts, and its
// longest task with the processor four times slower. The page is new each time, and the browser has kept no file.
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const require = createRequire(new URL("../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [address, rounds] = process.argv.slice(2);
const SETTLED_MS = 4000;
/** Preact with its signals, and socket.io; everything else is ours. */
const LIBRARIES = /assets\/(?:libraries|line|rolldown-runtime)-/;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
const context = await browser.newContext({ locale: "en-US", viewport: { width: 1440, height: 900 } });
const first = await context.newPage();
await first.goto(address);
await first.locator(".connection.online").waitFor();
await first.close();

const seen = { ours: 0, libraries: 0, shifts: [], longest: [] };
for (let round = 0; round < Number(rounds); round++) {
  const page = await context.newPage();
  const fetched = [];
  page.on("response", (response) => /\/$|\.(?:js|css)$/.test(new URL(response.url()).pathname) && fetched.push({ response, at: Date.now() }));
  const line = await context.newCDPSession(page);
  await line.send("Network.setCacheDisabled", { cacheDisabled: true });
  await line.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(() => {
    Object.assign(window, { shifted: 0, longest: 0, seen: 0 });
    new MutationObserver(() => {
      if (!window.seen && document.querySelector(".composer textarea")) window.seen = Date.now();
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: "longtask", buffered: true });
  });
  // Nothing is asked of the page meanwhile: the tester's own scripts would be among its tasks.
  await page.goto(`${address.split("#")[0]}#/chat`, { waitUntil: "commit" });
  await page.waitForTimeout(SETTLED_MS);
  const { shifted, longest, seenAt } = await page.evaluate(() => ({ shifted: window.shifted, longest: window.longest, seenAt: window.seen }));
  if (!seenAt) throw new Error("The composer did not appear in time.");
  const firstView = fetched.filter(({ at }) => at <= seenAt).map(({ response }) => response);
  const sizes = await Promise.all(firstView.map(async (response) => [LIBRARIES.test(response.url()), gzipSync(await response.body()).length]));
  seen.ours = sizes.reduce((sum, [isLibrary, size]) => sum + (isLibrary ? 0 : size), 0);
  seen.libraries = sizes.reduce((sum, [isLibrary, size]) => sum + (isLibrary ? size : 0), 0);
  seen.shifts.push(shifted);
  seen.longest.push(longest);
  await page.close();
}
console.log(JSON.stringify(seen));
await browser.close();
