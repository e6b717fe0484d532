/** Connect an agent: the first page, what is written, connecting and disconnecting; axe, the keyboard, 390 px. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { eventually, launch } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let world;
before(async () => {
  world = await launch();
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

test("a first-time visitor sees it until the first call has arrived", async () => {
  world.mock.chat.state.current = "";
  const page = await world.open({ path: "" });
  await page.getByRole("heading", { name: "Connect an agent" }).waitFor();
  await page.getByText("Waiting for the first call").waitFor();
  world.mock.record({ executionId: "own-1", tool: "undo_write", effect: "WRITE", event: "end", ok: true, durationMs: 2, caller: "cli:you:local" });
  world.mock.record({ executionId: "e1", tool: "list_files", effect: "READ", event: "end", ok: true, durationMs: 2 });
  await page.getByText("The first call has arrived").waitFor();
  await page.context().close();
  // What the person does afterwards doesn't make it a first visit again.
  for (let number = 0; number < 30; number++) world.mock.record({ executionId: `own-${number}`, tool: "list_files", effect: "READ", event: "end", ok: true, durationMs: 2, caller: "console:you:127.0.0.1" });
  const later = await world.open({ path: "" });
  await later.locator("h1").waitFor();
  assert.notEqual(await later.locator("h1").textContent(), "Connect an agent");
  await later.context().close();
});

test("a client is connected by keyboard as it was shown, and disconnected again", async () => {
  const page = await world.open({ path: "connect" });
  await page.getByText("/home/you/.claude.json").waitFor();
  assert.match(await page.locator(".client-written").first().textContent(), /permissions\.allow \+= "mcp__handrail"/);
  await page.getByText("handrail run -- claude").waitFor();
  await page.getByRole("button", { name: "Connect Codex" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("/home/you/.codex/config.toml").waitFor();
  assert.equal(world.mock.clients.known.get("codex").connected, false);
  await page.keyboard.press("Enter");
  await page.locator(".good", { hasText: "Codex is connected and tested: 61 tools." }).waitFor();
  await page.getByText("Tools + hooks: its own shell and edits ask here, too · can run in a cage").first().waitFor();
  await page.getByRole("button", { name: "Disconnect Codex" }).click();
  await page.locator(".good", { hasText: "Codex is disconnected" }).waitFor();
  assert.equal(world.mock.clients.known.get("codex").connected, false);
  await page.context().close();
});

test("a client's other server is looked at, and moved as it was shown", async () => {
  const page = await world.open({ path: "connect" });
  await page.locator(".client-name", { hasText: "Claude Code" }).click();
  assert.equal(await page.getByRole("button", { name: "Look at github" }).isDisabled(), true, "the client isn't connected yet");
  await page.getByRole("button", { name: "Connect Claude Code" }).click();
  await page.getByRole("button", { name: "Look at github" }).click();
  await page.getByText("Search for issues.").waitFor();
  await page.getByText("so they run without asking: search").waitFor();
  await page.getByLabel("Ask about every call").check();
  await page.getByRole("button", { name: "Accept and move" }).click();
  await page.locator(".good", { hasText: "github is behind handrail." }).waitFor();
  await page.getByText("Its entry is kept in the keyring").waitFor();
  const claude = world.mock.clients.known.get("claude");
  assert.deepEqual([claude.otherServers, claude.moved[0].asksAlways], [["postgres"], true]);
  await page.getByRole("button", { name: "Look at postgres" }).click();
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("button", { name: "Look at postgres" }).waitFor();
  await page.getByRole("button", { name: "Disconnect Claude Code" }).click();
  await page.locator(".good", { hasText: "Claude Code is disconnected" }).waitFor();
  await page.context().close();
});

test("edits that changed since they were shown are not written, and the page shows them again", async () => {
  const page = await world.open({ path: "connect" });
  const codex = world.mock.clients.known.get("codex");
  await page.getByRole("button", { name: "Connect Codex" }).click();
  codex.shown = "another digest";
  await page.getByRole("button", { name: "Connect Codex" }).click();
  await page.getByText("has changed since it was shown").waitFor();
  await page.getByRole("button", { name: "Connect Codex" }).click();
  await eventually(() => codex.connected, true);
  await page.context().close();
});

test("a file that can't be read says why, and other clients are one click away", async () => {
  const page = await world.open({ path: "connect" });
  assert.equal(await page.getByRole("button", { name: "Connect Gemini CLI" }).isDisabled(), true);
  await page.locator(".client-name", { hasText: "Gemini CLI" }).click();
  await page.getByText("line 3: a value is missing").waitFor();
  await page.getByRole("button", { name: "Show 1 client" }).click();
  await page.getByRole("button", { name: "Connect Cline" }).waitFor();
  await page.context().close();
});

for (const [locale, colorScheme, width, height] of [["en-US", "light", 1280, 860], ["zh-CN", "dark", 390, 800]]) {
  test(`axe finds nothing: ${locale}, ${colorScheme}, ${width} px`, async () => {
    const page = await world.open({ locale, colorScheme, width, height, path: "connect" });
    await page.locator(".client-written pre").first().waitFor();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" | ")}`), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/connect-${width}.png` });
    await page.context().close();
  });
}
