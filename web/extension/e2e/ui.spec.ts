/** The popup and the settings: complete, accessible, in both languages and themes; pictures on demand. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, describe, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Where to put pictures for people to look at. */
const pictures = process.env["HANDRAIL_PICTURES"];

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run(document)")) as { violations: { id: string; nodes: { failureSummary: string }[] }[] };
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.failureSummary).join(" | ")}`);
}

for (const [locale, colorScheme, word] of [["en-US", "light", "Connected"], ["zh-CN", "dark", "已连接"]] as const) {
  describe(`${locale}, ${colorScheme}`, () => {
    let world: World;
    beforeAll(async () => void (world = await World.open({ locale, colorScheme, isPaired: false })));
    afterAll(() => world.close());

    const look = async (page: Page, name: string, width = 360) => {
      await page.setViewportSize({ width, height: 620 });
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${locale}.png` });
      expect(await findings(page), name).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), `${name} is too wide`).toBe(false);
    };

    test("every state of both pages passes axe and fits 360 px", async () => {
      const popup = await world.extensionPage("popup");
      await popup.locator("form").waitFor();
      await look(popup, "popup-unpaired");
      const console = await world.context.newPage();
      await console.goto(world.server.url);
      await console.click("#pair");
      await console.evaluate(`postMessage({ type: "mimo/pair", requestId: 1, code: "${world.server.newCode()}", server: location.origin }, "*")`);
      const asking = await world.pairWindow();
      await asking.locator("button.primary:enabled").waitFor();
      await look(asking, "pair");
      await asking.keyboard.press("Tab");
      const closed = asking.waitForEvent("close");
      await asking.keyboard.down("Enter"); // nobody is left to lift the key for
      await closed;
      await world.server.connected();
      await console.close();
      await popup.getByText(word, { exact: true }).waitFor();
      await look(popup, "popup-connected");
      const { page } = await world.visit("/form");
      if (pictures) await page.screenshot({ path: `${pictures}/frame-${locale}.png` });
      await popup.locator(".task").waitFor();
      await look(popup, "popup-working");
      await popup.locator(".task .buttons button").nth(1).click();
      await popup.locator(".status.takeover").waitFor();
      await look(popup, "popup-paused");
      if (pictures) await page.screenshot({ path: `${pictures}/frame-paused-${locale}.png` });
      const options = await world.extensionPage("options");
      await options.locator(".connected").waitFor();
      await look(options, "options", 800);
      await look(options, "options-narrow");
    });

    test("a wrong code is explained beside its field, by keyboard alone", async () => {
      const options = await world.extensionPage("options");
      await options.locator("input[name=server]").fill(world.server.url);
      await options.locator("input[name=code]").focus();
      await options.keyboard.type("nope");
      await options.keyboard.press("Enter");
      await options.getByRole("alert").getByText("wrong code").waitFor();
      await options.locator("input[name=server]").fill("http://example.org@evil.example");
      await options.keyboard.press("Enter");
      await options.getByRole("alert").getByText("http://127.0.0.1:6006").waitFor();
      await options.locator("button.danger").click();
      await options.locator(".unpaired").waitFor();
      await expect.poll(() => world.server.isConnected).toBe(false);
    });
  });
}
