// Drives the built console in a real Chromium: `node console.mjs ADDRESS-WITH-CODE`; steps come as lines on stdin.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
const page = await browser.newPage({ locale: "en-US" });
const faults = [];
page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
page.on("pageerror", (error) => faults.push(String(error)));
await page.goto(process.argv[2]);

const steps = {
  see: (text) => page.getByText(text, { exact: false }).first().waitFor(),
  fill: (label, text) => page.getByLabel(label).fill(text),
  press: (name) => page.getByRole("button", { name }).first().click(),
  // A prompt that has just appeared takes no answer: the console gives the person time to read.
  read: () => page.waitForTimeout(450),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [step, ...words] = JSON.parse(line);
  try {
    await steps[step](...words);
    console.log(JSON.stringify({ ok: true, faults }));
  } catch (error) {
    console.log(JSON.stringify({ ok: false, error: String(error), shown: await page.locator("body").innerText() }));
  }
}
await browser.close();
