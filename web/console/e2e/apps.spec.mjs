/** The page of the apps: what they do, forms for their tools, consents, sign-ins; axe, the keyboard, 360 px. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import * as samples from "../dev/samples.mjs";
import { answerTo, armed, eventually, launch } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let world;
let page;
before(async () => {
  world = await launch();
  page = await world.open({ path: "apps" });
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

const card = (where, name) => where.locator(".page-body > .call").filter({ has: where.locator("strong", { hasText: name }) });
async function opened(where, name) {
  const found = card(where, name);
  if ((await found.locator("> .call-summary").getAttribute("aria-expanded")) === "false") await found.locator("> .call-summary").click();
  await found.locator("> .call-details h3").first().waitFor();
  return found;
}

for (const [locale, colorScheme, width, height] of [["en-US", "light", 1280, 860], ["zh-CN", "dark", 360, 740]]) {
  test(`axe finds nothing on the page of the apps: ${locale}, ${colorScheme}, ${width} px`, async () => {
    const own = await world.open({ locale, colorScheme, width, height, path: "apps" });
    for (const name of ["Mail", "Weather", "Shop"]) await opened(own, name);
    await card(own, "Mail").locator(".call .call-summary").first().click();
    await own.getByLabel("body").waitFor();
    await own.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
    await own.evaluate(axe);
    const { violations } = await own.evaluate(() => window.axe.run(document));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" | ")}`), []);
    assert.equal(await own.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    await own.context().close();
  });
}

test("apps are found by the words of their tools, and broken descriptors say why", async () => {
  await page.getByText("tools.0.name").waitFor();
  await page.getByRole("searchbox").fill("sends email");
  await eventually(() => page.locator(".page-body > .call strong").allTextContents(), ["Mail"]);
  await page.getByRole("searchbox").fill("");
});

test("a tool is called with what its form holds, and its result is shown", async () => {
  const mail = await opened(page, "Mail");
  await mail.locator(".call-summary", { hasText: "send_email" }).click();
  await mail.getByLabel(/^to/).fill("ada@example.com");
  assert.equal(await mail.getByLabel("password").getAttribute("type"), "password");
  await mail.getByRole("button", { name: "Call" }).click();
  const wanted = { app: "com.example.mail", tool: "send_email", params: { to: ["ada@example.com"] } };
  await eventually(async () => JSON.parse(await mail.locator("[role=status] pre").textContent().catch(() => "null")), { echoed: wanted });
});

test("a consent is revoked by keyboard, and one that expired says so", async () => {
  await page.getByText("expired", { exact: true }).first().waitFor();
  await page.getByText("Claude Code may call this · allowed by you, in the console").first().waitFor();
  await page.getByRole("button", { name: "Revoke: Mail · list_emails, for Claude Code" }).focus();
  await page.keyboard.press("Enter");
  await eventually(() => [...world.mock.apps.consents.keys()], ["bbbbbbbbbbbb"]);
  await eventually(() => page.locator(".surface .consent").count(), 1);
});

test("a key is sent once, and shown never again", async () => {
  const weather = await opened(page, "Weather");
  await weather.getByLabel("Key").fill("a-good-key");
  await weather.getByRole("button", { name: "Save" }).click();
  await weather.locator(".chip.good").waitFor();
  assert.deepEqual(world.mock.apps.keys, ["a-good-key"]);
  await eventually(() => weather.getByLabel("Replace key").inputValue(), "");
  await weather.getByRole("button", { name: "Sign out" }).click();
  await weather.locator(".chip.bad").waitFor();
});

test("a sign-in goes on in another window, and the page sees that it is done", async () => {
  const shop = await opened(page, "Shop");
  await shop.getByRole("button", { name: "Sign in" }).click();
  await shop.getByText("Waiting for you in the other window…").waitFor();
  world.mock.apps.known.get("com.example.web").auth = { type: "oauth2", signedIn: true, source: "store", isWaiting: false };
  await shop.locator(".chip.good").waitFor();
});

test("a call of an app can be allowed for its tool or for the whole app", async () => {
  for (const [button, reach] of [["Always this tool", { covers: "tool" }], ["Always, all tools of Mail", { covers: "app" }]]) {
    const id = world.mock.ask(samples.appCall);
    await page.locator(`[data-request="${id}"]:not([hidden])`).waitFor();
    await armed(page);
    await page.locator(".prompt:not([hidden])").getByRole("radio", { name: button }).check();
    await page.locator(".prompt:not([hidden])").getByRole("button", { name: "Always allow" }).click();
    assert.deepEqual(await answerTo(world.mock, id), { status: "ok", scope: "rule", ...reach });
  }
});
