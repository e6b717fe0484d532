/** Runs axe on every page and every kind of prompt, in both languages and themes; at 360 px nothing may scroll sideways. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import * as samples from "../dev/samples.mjs";
import { launch } from "./browser.mjs";
import { findNothing, LOCALES } from "./forms.mjs";

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

for (const locale of LOCALES) {
  test(`axe finds nothing: ${locale}`, async () => {
    const page = await world.open({ locale });
    await page.locator(".history-page").waitFor();
    await page.keyboard.press("q");
    for (let at = 0; at < KINDS; at++) {
      await page.locator(`.prompt:nth-child(${at + 1} of .prompt):not([hidden])`).waitFor();
      await findNothing(page, `prompt ${at + 1}`);
      await page.keyboard.press("ArrowRight");
    }
    await page.keyboard.press("Escape");
    for (const name of ["history/task:beach", "history/replay:task:beach", "inbox", "browser", "tools", "permissions", "review", "webgal", "connect", "apps", "desktop", "chat", "settings", "settings/models", "settings/access", "settings/setup", "settings/keyboard"]) {
      await page.goto(`${world.mock.url}/#/${name}`);
      const openers = { "history/task:beach": ".step-open >> nth=1", browser: "main details summary", tools: ".call-summary:has-text('write_to_file')" };
      await page.locator("h1").first().waitFor({ state: "attached" });
      if (openers[name]) await page.locator(openers[name]).click();
      await findNothing(page, name);
    }
    await page.goto(`${world.mock.url}/#/browser`);
    await page.locator(".browser-task").last().click();
    await page.locator(".browser-away").waitFor();
    await findNothing(page, "a task whose browser is away");
    await page.context().close();
  });
}
