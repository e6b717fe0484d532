// A person's Chromium, and what hostile pages do in it. Lines on stdin, `[step, ...arguments]`; one line of JSON back.
// Started with the address of a running Chromium, or with the folder of an extension, which needs a Chromium of its own.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { args, WITH_EXTENSIONS } from "../../web/console/e2e/chromium.mjs";

const require = createRequire(new URL("../../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");

// A person's browser doesn't say that a program drives it, unlike the shared one.
const [from, isAutomated] = [process.argv[2], process.argv[3] === "automated"];
const isShared = from.startsWith("ws://");
const looks = { locale: "en-US", viewport: { width: 1280, height: 900 } };
const context = isShared
  ? await (await chromium.connect(from)).newContext(looks)
  : await chromium.launchPersistentContext("", {
      ...looks,
      executablePath: WITH_EXTENSIONS,
      channel: undefined,
      headless: true,
      ignoreDefaultArgs: ["--disable-extensions", "--disable-component-extensions-with-background-pages"],
      args: [
        ...args,
        `--load-extension=${from}`,
        "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate,MediaRouter,OptimizationHints",
        "--silent-debugger-extension-api",
        ...(isAutomated ? [] : ["--disable-blink-features=AutomationControlled"]),
      ],
    });
const pages = new Map();

/** A page that opens by itself, as soon as it is there. */
async function find(name, ending) {
  const isIt = (page) => page.url().endsWith(ending);
  const page = context.pages().find(isIt) ?? (await context.waitForEvent("page", { predicate: async (one) => (await one.waitForLoadState(), isIt(one)) }));
  page.setDefaultTimeout(30_000);
  pages.set(name, page);
}

async function open(name, address, selector = "body") {
  const page = pages.get(name) ?? (await context.newPage());
  page.setDefaultTimeout(30_000);
  pages.set(name, page);
  await page.goto(address);
  await page.locator(selector).first().waitFor();
}

const steps = {
  open,
  find,
  isOpen: (ending) => context.pages().some((page) => page.url().endsWith(ending)),
  isClosed: async (name) => pages.get(name).isClosed() || (await pages.get(name).waitForEvent("close"), true),
  evaluate: (name, code) => pages.get(name).evaluate(code),
  wait: (name, selector) => pages.get(name).locator(selector).first().waitFor(),
  press: (name, label) => pages.get(name).getByRole("button", { name: label }).filter({ visible: true }).first().click(),
  check: (name, label) => pages.get(name).getByLabel(label).first().check(),
  fill: (name, label, text) => pages.get(name).getByLabel(label).first().fill(text),
  text: (name, selector) => pages.get(name).locator(selector).first().innerText(),
  reload: async (name, selector) => {
    await pages.get(name).reload();
    await pages.get(name).locator(selector).first().waitFor();
  },
  photograph: (name, path) => pages.get(name).screenshot({ path }),
  /** A security key or a platform's passkeys, as CDP imitates them; returns its id. */
  addAuthenticator: async (name, options) => {
    const page = pages.get(name);
    page.cdp ??= await context.newCDPSession(page);
    await page.cdp.send("WebAuthn.enable");
    return (await page.cdp.send("WebAuthn.addVirtualAuthenticator", { options })).authenticatorId;
  },
  cdp: async (name, method, params) => {
    const page = pages.get(name);
    page.cdp ??= await context.newCDPSession(page);
    return await page.cdp.send(method, params);
  },
  close: async (name) => {
    await pages.get(name).close();
    pages.delete(name);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [step, ...words] = JSON.parse(line);
  try {
    console.log(JSON.stringify({ ok: true, value: (await steps[step](...words)) ?? null }));
  } catch (error) {
    const shown = await pages.get(words[0])?.locator("body").innerText({ timeout: 1000 }).catch(() => "");
    console.log(JSON.stringify({ ok: false, error: String(error), shown }));
  }
}
await context.close();
await context.browser()?.close();
