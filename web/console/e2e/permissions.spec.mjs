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
const rows = (page) => page.locator(".rule-table [role=row]:not(.heading)");
const row = (page, name) => page.getByRole("row", { name });

for (const locale of pictures ? ["en-US", "zh-CN"] : LOCALES) {
  test(`axe finds nothing on the page, while a token is issued and after one is revoked: ${locale}`, async () => {
    const page = await open({ locale });
    await rows(page).first().waitFor();
    await findNothing(page, "permissions");
    world.mock.allowed.state.needsPresence = true;
    await page.locator(".add-agent input").fill("codex");
    await page.locator(".add-agent button[type=submit]").click();
    await page.locator(".presence").waitFor();
    await findNothing(page, "a token that needs presence");
    await page.locator(".presence button.primary").click();
    await page.locator(".code-block").getByText("hra_").first().waitFor();
    await findNothing(page, "a token that was issued");
    if (pictures) await photograph(page, locale);
    await row(page, /codex/).getByRole("button").click();
    await page.locator(".revoked").waitFor();
    await findNothing(page, "a token that was revoked");
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

test("a token is issued by keyboard, shown once, listed, and revoked", async () => {
  const page = await open();
  await row(page, /Connect over HTTP as claude/).getByText("7 ×").waitFor();
  await page.getByLabel("Agent name").fill("gemini");
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: "Token for gemini." }).waitFor();
  await page.getByText("Copy it now. It isn't shown again.").waitFor();
  assert.equal(await page.getByText("hra_the-token-that-is-shown-once", { exact: true }).count(), 1);
  await page.keyboard.press("Enter");
  assert.equal(await page.getByText("hra_the-token").count(), 0);
  await page.getByRole("button", { name: "Revoke: Connect over HTTP as gemini" }).click();
  await row(page, /gemini/).waitFor({ state: "detached" });
  assert.deepEqual(world.mock.allowed.state.agents.map(({ name }) => name), ["claude", "nightly-ci"]);
  await page.context().close();
});

test("every standing permission is in one list, and each comes back after it was revoked", async () => {
  world.mock.browsers.fill();
  const page = await open();
  await rows(page).first().waitFor();
  const names = ["Edit game/scene/*", "Call list_emails of Mail", "Loosen rules by the project's policy file", "Connect over HTTP as claude", "Use the browser chrome"];
  for (const name of names) {
    const found = row(page, name);
    await found.getByRole("button", { name: `Revoke: ${name}` }).focus();
    await page.keyboard.press("Enter");
    await found.waitFor({ state: "detached" });
    await page.locator(".revoked", { hasText: name }).getByRole("button", { name: "Undo" }).click();
    await found.waitFor();
  }
  await row(page, "Call list_emails of Mail").getByText("41 ×").waitFor();
  await row(page, "Call every tool of Mail").getByText("the app has changed").waitFor();
  await page.context().close();
});

test("tools are chosen by their titles, and typed input is in words", async () => {
  world.mock.allowed.state.rules.push({ id: "r9", kind: "rule", decision: "allow", tool: "native_shell", command: 'yes ({"input":true})' });
  for (const [locale, label, title] of [["en-US", "Tool", "Send input to a running program"], ["zh-CN", "工具", "向运行中的程序输入"]]) {
    const page = await open({ locale });
    const choice = page.getByRole("combobox", { name: label, exact: true });
    await choice.locator("option").nth(1).waitFor({ state: "attached" });
    assert.deepEqual((await choice.locator("option").allTextContents()).filter((text) => /^[a-z]+_[a-z_]+$/.test(text)), []);
    assert.equal(await choice.inputValue(), "write_to_file");
    await row(page, new RegExp(title)).waitFor();
    assert.doesNotMatch(await page.locator(".rule-table").innerText(), /"input"/);
    await page.context().close();
  }
  world.mock.allowed.state.rules.pop();
});

test("the project's policy is trusted after it was read, and no longer at a press", async () => {
  const page = await open();
  await page.getByText("You haven't trusted this file, so it can only tighten the rules.").waitFor();
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
  const place = row(page, /localhost:5173/);
  await place.getByText("every agent").waitFor();
  await place.getByText("Feb 28, 2026", { exact: true }).waitFor();
  await page.getByRole("row", { name: /bank/ }).getByText("never").waitFor();
  await place.getByRole("button").click();
  await place.waitFor({ state: "detached" });
  assert.deepEqual(world.mock.allowed.state.rules.map(({ id }) => id), ["r3", "r4", "r1"]);
  await row(page, /Edit game\/scene/).getByText("3 ×").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await place.waitFor();
  assert.deepEqual(world.mock.allowed.state.rules.map(({ id }) => id), ["r3", "r4", "r1", "r2"]);
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
