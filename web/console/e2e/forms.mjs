/** Runs axe on a page in several forms; themes and widths change without a reload. */
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
    // Layouts have adapted to the new size and animations have ended; a pulse never ends.
    await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      await Promise.all(document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity).map((animation) => animation.finished));
    });
    // The page's policy blocks injected scripts; the test's own channel isn't affected.
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
    const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
    assert.deepEqual(found, [], `${what}, ${colorScheme}, ${width} px`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${what} is wider than ${width} px`);
  }
}
