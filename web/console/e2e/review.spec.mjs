/** The review: files and hunks are ticked and taken, conflicts and refusals shown; axe, the keyboard, narrow windows. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { eventually, launch } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let world;
before(async () => {
  world = await launch();
});
after(() => world.close());
beforeEach(() => {
  world.mock.reviews.fill();
  Object.assign(world.mock.reviews.state, { taken: [], isStale: false });
});
afterEach(() => assert.deepEqual(world.complaints, []));

test("single hunks and files are taken, with the digest of what was seen", async () => {
  const page = await world.open({ path: "review" });
  await page.getByLabel("Take the change at line 12").check();
  await page.getByLabel("Take docs/tax.md").check();
  await page.getByRole("button", { name: "Take selected (2)" }).click();
  await page.locator(".review-taken", { hasText: "Took 2 changes." }).waitFor();
  assert.deepEqual(world.mock.reviews.state.taken, [
    { items: [{ path: "src/shop.ts", digest: "digest of src/shop.ts", hunks: [0] }, { path: "docs/tax.md", digest: "digest of docs/tax.md" }] },
  ]);
  await page.getByLabel("Take docs/tax.md").waitFor({ state: "detached" });
  await page.context().close();
});

test("a conflict shows both sides and can't be ticked; a link and an ignored folder say what they are", async () => {
  const page = await world.open({ path: "review" });
  assert.equal(await page.getByLabel("Take the change at line 71").isDisabled(), true);
  await page.getByText("the warehouse's number").waitFor();
  await page.getByText("Runs code later").first().waitFor();
  await page.getByText("4211 files, 93 MB").waitFor();
  const link = page.locator(".review-item", { hasText: "key" });
  assert.match(await link.textContent(), /\\u\{202e\}/);
  assert.equal(await link.locator("input").isDisabled(), true);
  await link.locator(".review-open").click();
  await page.getByText("leads out of the project").waitFor();
  await page.context().close();
});

test("a conflict is resolved: the agent's side of one place, an edited file, or the person's own", async () => {
  const page = await world.open({ path: "review" });
  const digest = "digest of src/shop.ts";
  await page.getByRole("button", { name: "Take the agent's change at line 71" }).click();
  await eventually(() => world.mock.reviews.state.taken.length, 1);
  await page.getByRole("button", { name: "Edit …" }).click();
  const text = page.getByLabel("Edit src/shop.ts");
  assert.match(await text.inputValue(), /^<<<<<<< yours\n/);
  assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/review-conflict.png` });
  await text.fill("  const limit = 25;\n");
  await page.getByRole("button", { name: "Save" }).click();
  await eventually(() => world.mock.reviews.state.taken.length, 2);
  world.mock.reviews.fill();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.locator(".review-open", { hasText: "src/shop.ts" }).click();
  await page.getByRole("button", { name: "Keep yours" }).click();
  await page.locator(".review-open", { hasText: "src/shop.ts" }).waitFor({ state: "detached" });
  assert.deepEqual(world.mock.reviews.state.taken.map(({ items }) => items[0]), [
    { path: "src/shop.ts", digest, hunks: [], theirs: [2] },
    { path: "src/shop.ts", digest, content: "  const limit = 25;\n" },
    { path: "src/shop.ts", digest, hunks: [], settled: true },
  ]);
  await page.context().close();
});

test("everything is taken by keyboard, but nothing that git ignores", async () => {
  const page = await world.open({ path: "review" });
  await page.locator(".review-open").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".review-view h2", { hasText: "package.json" }).waitFor();
  await page.getByRole("button", { name: "Take everything" }).focus();
  await page.keyboard.press("Enter");
  await eventually(() => world.mock.reviews.state.taken.length, 1);
  assert.deepEqual(world.mock.reviews.state.taken[0].items.map((item) => item.path), ["src/shop.ts", "package.json", "old/legacy.ts", "docs/tax.md", "logo.png"]);
  await page.context().close();
});

test("what changed since it was shown is not taken, and the page says so", async () => {
  const page = await world.open({ path: "review" });
  world.mock.reviews.state.isStale = true;
  await page.getByLabel("Take src/shop.ts").check();
  await page.getByRole("button", { name: "Take selected (1)" }).click();
  await page.getByText("changed since you looked at it").waitFor();
  await page.context().close();
});

test("discarding asks first; commits are shown and taken", async () => {
  const page = await world.open({ path: "review" });
  await page.getByRole("button", { name: "Show commits" }).click();
  await page.getByText("Read tax rates per country").waitFor();
  await page.getByRole("button", { name: "Take changes" }).click();
  await page.getByText("git commit -a -C 4f1d2c3b5a69").waitFor();
  await page.getByRole("button", { name: "Discard …" }).click();
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  assert.equal(world.mock.reviews.state.runs.length, 1);
  await page.getByRole("button", { name: "Discard …" }).click();
  await page.getByRole("button", { name: "Discard all" }).click();
  await page.getByText("No pending changes").waitFor();
  await page.context().close();
});

for (const [locale, colorScheme, width, height] of [["en-US", "light", 1440, 900], ["en-US", "dark", 390, 800], ["zh-CN", "dark", 1440, 900], ["zh-CN", "light", 390, 800]]) {
  test(`axe finds nothing: ${locale}, ${colorScheme}, ${width} px`, async () => {
    const page = await world.open({ locale, colorScheme, width, height, path: "review" });
    await page.locator(".review-hunk input").first().check();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" | ")}`), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/review-${locale}-${width}.png` });
    await page.context().close();
  });
}
