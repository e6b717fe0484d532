/** axe on what a window shows, in one form after the other: themes and widths change without a page being loaded again. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { effort } from "./effort.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FORMS = effort([["dark", 360]], [["light", 1280], ["dark", 1280], ["light", 360], ["dark", 360]]);
export const LOCALES = effort(["en-US"], ["en-US", "zh-CN"]);

export async function findNothing(page, what, forms = FORMS) {
  const height = page.viewportSize().height;
  for (const [colorScheme, width] of forms) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    // What is laid out by its size has seen the new one, and what moves has come to rest; a pulse never does.
    await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      await Promise.all(document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity).map((animation) => animation.finished));
    });
    // The page's policy keeps injected scripts out; the tester's own channel is not the page.
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
    const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
    assert.deepEqual(found, [], `${what}, ${colorScheme}, ${width} px`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${what} is wider than ${width} px`);
  }
}
