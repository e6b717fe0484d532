// Playwright the library, on a browser that runs already: one JSON command a line in, how long it took by its own clock out.
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const browser = await chromium.connectOverCDP(process.argv[2]);
const page = browser.contexts()[0].pages()[0];
const byRef = (ref) => page.locator(`aria-ref=${ref}`);

const commands = {
  open: ({ url }) => page.goto(url),
  nothing: () => page.evaluate("1"),
  index: () => page.ariaSnapshot({ mode: "ai" }),
  page: () => page.ariaSnapshot({ mode: "ai" }),
  click: ({ ref }) => byRef(ref).click(),
  type: ({ ref, text }) => byRef(ref).fill(text),
  screenshot: async () => (await page.screenshot()).length,
  text: () => page.locator("body").innerText(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...params } = JSON.parse(line);
  const started = performance.now();
  const found = await commands[command](params);
  const ms = performance.now() - started;
  console.log(JSON.stringify({ ms, text: String(typeof found === "object" ? "" : (found ?? "")) }));
}
await browser.close();
