/** The popup and the settings: complete, accessible, in both languages and themes; pictures on demand. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, describe, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The folder for screenshots to look at. */
const pictures = process.env["HANDRAIL_PICTURES"];

const CONFIRM = {
  v: 1, type: "confirm_ask", id: "ask", digest: "ab".repeat(32), requestId: "approval_1", subject: "approval", title: "Write README.md?",
  lines: [
    { name: "reach", value: "rule" },
    { name: "what", value: 'write_to_file file "docs/**"' },
    { name: "where", value: '"/home/you/shop"' },
    { name: "who", value: "claude (agent:claude.3f2a1b)" },
    { name: "until", value: "you remove the rule" },
    { name: "file", value: "docs/README.md" },
  ],
  text: "Write a file (WRITE)\nAsked by http:claude\n\n--- a/docs/README.md\n+++ b/docs/README.md\n@@ -1,1 +1,1 @@\n-A small shop.\n+A friendly shop.\n",
  left: 0,
};

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run(document)")) as { violations: { id: string; nodes: { failureSummary: string }[] }[] };
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.failureSummary).join(" | ")}`);
}

const ALL = [["en-US", "light", "Connected"], ["zh-CN", "dark", "已连接"]] as const;
const isCampaign = "HANDRAIL_CAMPAIGN_SEED" in process.env;

for (const [locale, colorScheme, word] of isCampaign ? ALL : ALL.slice(0, 1)) {
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
      const asking = await world.asking("pair");
      await look(asking, "pair");
      await asking.locator("button.primary:enabled").waitFor(); // again: another size takes the time from the beginning
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

    test("what reaches far is confirmed in a window of its own, by keyboard, and answered once", async () => {
      const given = () => world.server.received.all.filter((message) => message["type"] === "confirm_answer").map(({ confirmId, digest, requestId, answer }) => ({ confirmId, digest, requestId, answer }));
      const { digest, requestId } = CONFIRM;
      await world.server.send({ ...CONFIRM, confirmId: "first" });
      const window = await world.asking("confirm");
      await window.locator("h1").waitFor();
      expect(await window.evaluate(() => document.activeElement?.tagName)).toBe("H1");
      await look(window, "confirm", 480);
      await look(window, "confirm-narrow");
      await window.locator("button.primary:enabled").focus();
      const closed = window.waitForEvent("close");
      await window.keyboard.down("Enter");
      await closed;
      await expect.poll(given).toEqual([{ confirmId: "first", digest, requestId, answer: "allow" }]);
      await world.server.send({ ...CONFIRM, confirmId: "second" });
      await (await world.asking("confirm")).close();
      await expect.poll(given).toEqual([{ confirmId: "first", digest, requestId, answer: "allow" }, { confirmId: "second", digest, requestId, answer: "later" }]);
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
