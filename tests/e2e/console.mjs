// Drives the built console in a real Chromium. Steps come as lines on stdin, `[window, step, ...arguments]`; each gets
// one line back: what the step gave, what the page complained about, and, when it failed, what was on the screen.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { args, executablePath, WITH_EXTENSIONS } from "../../web/console/e2e/chromium.mjs";

const require = createRequire(new URL("../../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// Other drivers connect to the same Chromium (`visitor.mjs`); their contexts share nothing with those of this one.
const server = await chromium.launchServer({ executablePath, args });
const browser = await chromium.connect(server.wsEndpoint());
const EXTENSION = fileURLToPath(new URL("../../src/handrail/extension", import.meta.url));
const windows = new Map();
// How long a busy machine may take.
const PATIENCE_MS = 60_000;
const SHOWN = ".prompt:not([hidden])";
// A narrow window says only when the connection is lost, and has most pages behind "More": these are there, but hidden.
const ONLINE = ".connection.online";
// What a browser says by itself when a server is away or refuses; the console tells it on the page.
const EXPECTED = /Failed to load resource|WebSocket connection to/;

/** A Chromium of its own with our extension in it: extensions live in no context but a profile's. */
async function withOurExtension(options) {
  const profile = mkdtempSync(`${tmpdir()}/handrail-profile-`);
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    executablePath: WITH_EXTENSIONS,
    ignoreDefaultArgs: ["--disable-extensions", "--disable-component-extensions-with-background-pages"],
    args: [...args, `--load-extension=${EXTENSION}`, "--disable-features=DisableLoadExtensionCommandLineSwitch", "--silent-debugger-extension-api"],
  });
  context.on("close", () => rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return context;
}

async function open(name, address, { width = 1280, height = 860, withExtension = false, until = ONLINE, at = "history", ...given }) {
  const options = { locale: "en-US", viewport: { width, height }, serviceWorkers: "block", ...given };
  const context = await (withExtension ? withOurExtension(options) : browser.newContext(options));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  // What a game's engine says in its frame is its own affair.
  const isOurs = ({ url }) => !url || new URL(url).origin === new URL(address).origin;
  page.on("console", (message) => message.type() === "error" && isOurs(message.location()) && !EXPECTED.test(message.text()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  windows.set(name, { page, faults });
  await page.goto(address);
  await page.locator(until).waitFor({ state: "attached" });
  if (at) await page.evaluate((wanted) => { location.hash = `/${wanted}`; }, at);
}

async function takeForm(page, colorScheme, width) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: page.viewportSize().height });
  // What is laid out by its size has seen the new one.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** The tester's own channel passes the page's policy. The styles are ours and loaded already: nothing is fetched once more. */
async function findings(page) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
  return [...found, ...((await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) ? ["too wide"] : [])];
}

const steps = {
  see: (page, text, selector = "body") => page.locator(selector).getByText(text).filter({ visible: true }).first().waitFor(),
  /** What a game's engine says in the page's frame. It draws each letter three times: outline, shade and itself. */
  hear: (page, text) => {
    const drawn = [...text].map((letter) => letter.repeat(3)).join("");
    return page.frameLocator("iframe").locator("body", { hasText: drawn }).waitFor({ timeout: 50_000 });
  },
  miss: (page, text) => page.getByText(text).filter({ visible: true }).first().waitFor({ state: "hidden" }),
  fill: (page, label, text) => page.getByLabel(label).first().fill(text),
  check: (page, label) => page.getByLabel(label).first().check(),
  press: (page, name) => page.getByRole("button", { name }).filter({ visible: true }).first().click(),
  pressBeside: (page, text, name) => page.locator("li", { hasText: text }).getByRole("button", { name }).click(),
  key: async (page, ...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  },
  type: (page, text) => page.keyboard.type(text),
  /** The role of what has the focus right after a key, without waiting for anything to load. */
  focusAfter: (page, key) => page.evaluate(async (init) => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }));
    await new Promise((resolve) => setTimeout(resolve));
    return document.activeElement.getAttribute("role");
  }, key),
  /** What a keyboard can't reach fails. */
  tabTo: async (page, selector) => {
    for (let at = 0; at < 80; at++) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not reach ${selector}`);
  },
  /** A prompt that has just appeared takes no answer: the console gives the person time to read. */
  read: (page, title) => page.locator(SHOWN, { hasText: title }).locator("form[data-armed=true]").waitFor(),
  /** The same in the conversation that it belongs to. */
  answerInPlace: async (page, title, button) => {
    const card = page.locator(".in-place article.prompt", { hasText: title });
    await card.locator("form[data-armed=true]").waitFor();
    await card.getByRole("button", { name: button }).first().click();
    await card.waitFor({ state: "detached" });
  },
  go: async (page, name) => {
    await page.evaluate((wanted) => { location.hash = `/${wanted}`; }, name);
    await page.locator(`.rail a.${name.split("/")[0]}[aria-current=page]`).waitFor({ state: "attached" });
  },
  /** What each of so many questions says, with everything in it unfolded. */
  readCards: async (page, count) => {
    const read = [];
    for (let at = 1; at <= count; at++) {
      await page.getByText(`${at} / ${count}`, { exact: true }).waitFor();
      const card = page.locator(SHOWN);
      await card.locator("form").waitFor();
      read.push(await card.evaluate((shown) => {
        for (const part of shown.querySelectorAll("details")) part.open = true;
        return shown.innerText;
      }));
      await page.keyboard.press("ArrowRight");
    }
    return read;
  },
  reload: async (page) => {
    await page.reload();
    await page.locator(ONLINE).waitFor({ state: "attached" });
  },
  /** In the window that the extension opens by itself to ask whether to pair. */
  confirmPairing: async (page) => {
    const found = () => page.context().pages().find((one) => one.url().endsWith("/pair.html"));
    for (let tries = 0; tries < 1000 && !found(); tries++) await new Promise((resolve) => setTimeout(resolve, 20));
    const asking = found();
    const shown = await asking.getByRole("alertdialog").innerText();
    const closed = asking.waitForEvent("close");
    await asking.getByRole("button", { name: "Pair", exact: true }).click();
    await closed;
    return shown;
  },
  /** The extension's popup, as a page of its own, once it says this. */
  popupSays: async (page, text) => {
    const [worker] = page.context().serviceWorkers();
    const popup = await page.context().newPage();
    await popup.goto(new URL("popup.html", worker.url()).href);
    await popup.getByText(text).first().waitFor();
    await popup.close();
    await page.bringToFront();
  },
  /** By selectors, where a story is told in several languages. */
  click: (page, selector) => page.locator(selector).filter({ visible: true }).first().click(),
  fillIn: (page, selector, text) => page.locator(selector).filter({ visible: true }).first().fill(text),
  /** A PNG, in base64, over the clipboard, as a person who has copied one pastes it into what has the focus. */
  pasteImage: async (page, png) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate((encoded) => {
      const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0));
      return navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
    }, png);
    await page.keyboard.press("Control+V");
  },
  pick: (page, selector, value) => page.locator(selector).selectOption(value),
  gone: (page, selector) => page.locator(selector).filter({ visible: true }).first().waitFor({ state: "hidden" }),
  wait: (page, selector) => page.locator(selector).first().waitFor(),
  count: (page, selector) => page.locator(selector).count(),
  attribute: (page, selector, name) => page.locator(selector).first().getAttribute(name),
  text: (page, selector) => page.locator(selector).first().innerText(),
  /** A picture's own width and height, once it is there: it is fetched when it comes into view, and has no source before. */
  size: async (page, selector) => {
    const image = page.locator(selector).first();
    await image.evaluate((picture) => picture.scrollIntoView({ block: "nearest" })); // a newer view may replace it meanwhile
    await image.and(page.locator("[src]")).waitFor();
    return image.evaluate(async (picture) => {
      await picture.decode();
      return [picture.naturalWidth, picture.naturalHeight];
    });
  },
  /** Where one element lies in another, in parts of that one's width and height. */
  within: async (page, inner, outer) => {
    const [a, b] = [await page.locator(inner).first().boundingBox(), await page.locator(outer).first().boundingBox()];
    return [(a.x - b.x) / b.width, (a.y - b.y) / b.height, a.width / b.width, a.height / b.height];
  },
  /** By how many pixels an element is narrower than what it shows. */
  missingWidth: (page, selector) => page.locator(selector).first().evaluate((shown) => {
    const whole = shown.cloneNode(true);
    whole.value = shown.value;
    Object.assign(whole.style, { position: "absolute", width: "max-content", maxWidth: "none" });
    shown.after(whole);
    const missing = whole.offsetWidth - shown.offsetWidth;
    whole.remove();
    return missing;
  }),
  hover: (page, selector, text) => page.locator(selector, { hasText: text }).first().hover(),
  choose: (page, label, option) => page.getByLabel(label, { exact: true }).selectOption({ label: option }),
  /** Points and clicks at a place in an element, told in parts of its width and height. */
  clickIn: async (page, selector, across, down) => {
    const area = page.locator(selector).first();
    const { width, height } = await area.boundingBox();
    await area.click({ position: { x: across * width, y: down * height } });
  },
  holds: (page, text) =>
    page.evaluate((wanted) => {
      const inputs = [...document.querySelectorAll("input, textarea")].map((input) => input.value);
      const stored = [localStorage, sessionStorage].map((store) => JSON.stringify({ ...store }));
      return [document.documentElement.outerHTML, ...inputs, ...stored].some((held) => held.includes(wanted));
    }, text),
  /** The next answer leaves the page, and is kept on its way until `let go`. */
  hold: async (page) => {
    const window = [...windows.values()].find((one) => one.page === page);
    window.held = new Promise((resolve) => void page.route("**/response", (route) => resolve(route), { times: 1 }));
  },
  release: async (page) => {
    const window = [...windows.values()].find((one) => one.page === page);
    await (await window.held).continue();
  },
  /** Until `text` is there, where it is given: what comes later may push the end away again. */
  scrollToEnd: async (page, selector, text = "") => {
    await page.evaluate(async ([wanted, last]) => {
      const area = document.querySelector(wanted);
      const isAtEnd = () => area.scrollHeight - area.scrollTop - area.clientHeight < 2;
      const deadline = performance.now() + 60_000;
      while (area.querySelector(".load-more") || !isAtEnd() || !area.textContent.includes(last)) {
        if (performance.now() > deadline) throw new Error(`no end, or no ${last}, in ${wanted}`);
        area.scrollTo(0, area.scrollHeight);
        await new Promise(requestAnimationFrame);
      }
    }, [selector, text]);
  },
  /** What axe finds, and whether the page is wider than its window, in each of these forms: `[colour scheme, width]`, or as it is. */
  audit: async (page, forms = [null]) => {
    const found = [];
    for (const form of forms) {
      if (form) await takeForm(page, ...form);
      found.push(...(await findings(page)).map((one) => (form ? `${form.join(" ")}: ${one}` : one)));
    }
    return found;
  },
  /** Once what moves has come to rest, in a game's frame as well: that has no end that we could wait for. */
  photograph: async (page, path) => {
    await page.waitForTimeout(5000);
    await page.screenshot({ path });
  },
  close: async (page) => page.context().close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, step, ...words] = JSON.parse(line);
  try {
    if (step === "endpoint") {
      console.log(JSON.stringify({ ok: true, value: server.wsEndpoint(), faults: [] }));
      continue;
    }
    const value = step === "open" ? await open(name, ...words) : await steps[step](windows.get(name).page, ...words);
    console.log(JSON.stringify({ ok: true, value: value ?? null, faults: windows.get(name).faults }));
  } catch (error) {
    const shown = await windows.get(name)?.page.locator("body").innerText({ timeout: 1000 }).catch(() => "");
    console.log(JSON.stringify({ ok: false, error: String(error), shown, faults: windows.get(name)?.faults ?? [] }));
  }
}
await server.close();
