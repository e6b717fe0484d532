/** Permissions: what is allowed, to whom, and how it ends; agents and their tokens. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { findNothing, LOCALES } from "./forms.mjs";

const pictures = process.env.HANDRAIL_PICTURES;
let world;
before(async () => void (world = await launch()));
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

const open = (more) => world.open({ path: "permissions", ...more });
const agents = (page) => page.locator(".agents > li");

for (const locale of pictures ? ["en-US", "zh-CN"] : LOCALES) {
  test(`axe finds nothing on the page, while a token is issued and while one is revoked: ${locale}`, async () => {
    const page = await open({ locale });
    await agents(page).first().waitFor();
    await findNothing(page, "permissions");
    await agents(page).first().getByRole("button").click();
    world.mock.allowed.state.needsPresence = true;
    await page.locator(".add-agent input").fill("codex");
    await page.locator(".add-agent button[type=submit]").click();
    await page.locator(".presence").waitFor();
    await findNothing(page, "a token that needs presence");
    await page.locator(".presence button.primary").click();
    await page.locator(".code-block").getByText("hra_").first().waitFor();
    await findNothing(page, "a token that was issued");
    if (pictures) await photograph(page, locale);
    world.mock.allowed.removeAgent(world.mock.allowed.state.agents.at(-1).id);
    world.mock.allowed.state.needsPresence = false;
    await page.context().close();
  });
}

async function photograph(page, locale) {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 390]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 1400 });
    await page.screenshot({ path: `${pictures}/permissions-${locale}-${colorScheme}-${width}.png` });
  }
}

test("agents show what they have; a token is issued by keyboard, shown once, and revoked after a word of warning", async () => {
  const page = await open();
  const first = agents(page).first();
  await first.getByText("2 rules").waitFor();
  await agents(page).nth(1).getByText("not used since handrail started").waitFor();
  await page.getByLabel("New agent").fill("gemini");
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: "Token for gemini." }).waitFor();
  await page.getByText("It is shown only now.").waitFor();
  assert.equal(await page.getByText("hra_the-token-that-is-shown-once", { exact: true }).count(), 1);
  await page.keyboard.press("Enter");
  assert.equal(await page.getByText("hra_the-token").count(), 0);
  assert.equal(await agents(page).count(), 3);
  await page.getByRole("button", { name: "Revoke gemini" }).click();
  await page.getByText("gemini loses access now").waitFor();
  assert.equal(world.mock.allowed.state.agents.length, 3);
  await page.keyboard.press("Enter");
  await agents(page).nth(2).waitFor({ state: "detached" });
  assert.deepEqual(world.mock.allowed.state.agents.map(({ name }) => name), ["claude", "nightly-ci"]);
  await page.context().close();
});

test("the project's policy is trusted after it was read, and no longer at a press", async () => {
  const page = await open();
  await page.getByText("not trusted: it can only tighten").waitFor();
  await page.getByRole("button", { name: "Read and trust…" }).click();
  await page.getByText('"contractVersion": "1.0.0"').waitFor();
  await findNothing(page, "a policy to be trusted");
  await page.getByRole("button", { name: "Trust this file" }).click();
  await page.getByRole("button", { name: "Stop trusting" }).click();
  await page.getByRole("button", { name: "Read and trust…" }).waitFor();
  assert.equal(world.mock.state.isTrusted, false);
  await page.context().close();
});

test("a rule is removed, and what has no end or agent says so", async () => {
  const page = await open();
  const row = page.getByRole("row", { name: /localhost:5173/ });
  await row.getByText("every agent").waitFor();
  await page.getByRole("row", { name: /bank/ }).getByText("never").waitFor();
  await row.getByRole("button").click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(world.mock.allowed.state.rules.map(({ id }) => id), ["r1", "r3", "r4"]);
  await page.getByRole("row", { name: /game\/scene/ }).getByText("3 ×").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
  assert.deepEqual(world.mock.allowed.state.rules.map(({ id }) => id), ["r1", "r3", "r4", "r2"]);
});

test("why a call asks is told without making it", async () => {
  const page = await open();
  await page.getByLabel("File or address").fill("README.md");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("No rule matches. This is the default for “Edit files”.").waitFor();
  await page.getByLabel("File or address").fill("game/a.txt");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("Decided by: user rule r1.").waitFor();
  await page.context().close();
});
