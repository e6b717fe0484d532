/** A real Chromium with the built console, against the mock. */
import assert from "node:assert/strict";
import { after } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";
import { startMock } from "../dev/mock-server.mjs";
import { args, executablePath } from "./chromium.mjs";

/** How long a busy machine may take; after that a test fails. */
const PATIENCE_MS = 60_000;

/** One browser for all tests of a file; each test opens its own context. */
let browser;
after(async () => void (await (await browser)?.close()));

export async function launch() {
  const mock = await startMock();
  browser ??= chromium.launch({ executablePath, args });
  const contexts = [];
  const complaints = [];

  /** A signed-in window that records everything the page logs as an error; an empty `path` opens the default page. */
  async function open({ locale = "en-US", colorScheme = "light", width = 1280, height = 860, path = "activity", permissions = [], hasTouch = false } = {}) {
    const context = await (await browser).newContext({ locale, colorScheme, viewport: { width, height }, permissions, hasTouch, serviceWorkers: "block" });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(`${mock.url}/#code=${mock.newCode()}`);
    await page.locator(".connection.online").first().waitFor({ state: "attached" });
    if (path) await page.goto(`${mock.url}/#/${path}`);
    return page;
  }

  async function close() {
    await Promise.all(contexts.map((context) => context.close()));
    await mock.stop();
  }
  return { mock, open, close, complaints };
}

/** A prompt that has just appeared accepts no answer for a moment. */
export const armed = (page) => page.locator(".prompt:not([hidden]) form[data-armed=true]").waitFor();

/** Pages update with a delay: reads again until the condition is met. */
export async function eventually(read, expected) {
  const end = Date.now() + PATIENCE_MS;
  let seen = await read();
  while (!isDeepStrictEqual(seen, expected) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen = await read();
  }
  assert.deepEqual(seen, expected);
}

/** Resolves with the first answer that the server got for this prompt. */
export async function answerTo(mock, requestId) {
  const received = () => mock.state.received.find((one) => one.requestId === requestId);
  await eventually(() => received() !== undefined, true);
  return received().response;
}
