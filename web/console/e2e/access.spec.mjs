/** axe on every page and every kind, in both languages and themes; 360 px without sideways scrolling. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import * as samples from "../dev/samples.mjs";
import { launch } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const KINDS = samples.samplePrompts().length;
let world;
before(async () => {
  world = await launch();
  samples.sampleRecords(world.mock);
  world.mock.browsers.fill();
  const answered = world.mock.ask(samples.change);
  world.mock.answer(answered, { response: { status: "canceled", remark: "no" } });
  for (const [prompt, extra] of samples.samplePrompts()) world.mock.ask(prompt, extra);
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

async function findings(page) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
  // The page's policy keeps injected scripts out; the tester's own channel is not the page.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
}
const isTooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

for (const locale of ["en-US", "zh-CN"]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[1280, 860], [360, 740]]) {
      test(`axe finds nothing: ${locale}, ${colorScheme}, ${width} px`, async () => {
        const page = await world.open({ locale, colorScheme, width, height });
        for (let at = 0; at < KINDS; at++) {
          await page.locator(`.prompt:nth-child(${at + 1} of .prompt):not([hidden])`).waitFor();
          assert.deepEqual(await findings(page), [], `prompt ${at + 1}`);
          assert.equal(await isTooWide(page), false, `prompt ${at + 1}`);
          await page.keyboard.press("ArrowRight");
        }
        await page.keyboard.press("Escape");
        for (const name of ["activity", "prompts", "browser", "tools", "settings"]) {
          await page.goto(`${world.mock.url}/#/${name}`);
          const opener = page.locator(".call-summary", { hasText: "write_to_file" }).or(page.locator(".entry .quiet").first());
          if (name === "browser") await page.locator("details summary").click();
          else if (name !== "settings") await opener.click();
          assert.deepEqual(await findings(page), [], name);
          assert.equal(await isTooWide(page), false, name);
        }
        await page.goto(`${world.mock.url}/#/browser`);
        await page.locator(".browser-task").last().click();
        await page.locator(".browser-away").waitFor();
        assert.deepEqual(await findings(page), [], "a task whose browser is away");
        assert.equal(await isTooWide(page), false, "a task whose browser is away");
        await page.context().close();
      });
    }
  }
}
