// A UI app at an address of its own, with a token: `node foreign_app.mjs PORT HANDRAIL TOKEN CONSOLE-WITH-CODE`; steps come on stdin.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { args, executablePath } from "../../web/console/e2e/chromium.mjs";

const require = createRequire(new URL("../../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const { rolldown } = await import(require.resolve("rolldown"));

const [port, address, token, consoleAddress] = process.argv.slice(2);
const bundle = await rolldown({ input: fileURLToPath(new URL("../../web/host/src/index.ts", import.meta.url)) });
const { output } = await bundle.generate({ format: "iife", name: "handrail" });
const html = `<!doctype html><title>An app</title><body><button id="open">Open</button><button id="close">Close</button>
<button id="toggle">Toggle</button><script>${output[0].code.replaceAll("</script", "<\\/script")}</script>`;
const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(html)).listen(Number(port), "127.0.0.1");

const browser = await chromium.launch({ executablePath, args });
const context = await browser.newContext({ locale: "en-US" });
const signIn = await context.newPage();
await signIn.goto(consoleAddress);
await signIn.locator(".connection.online").waitFor();
await signIn.close();
const page = await context.newPage();
await page.goto(`http://127.0.0.1:${port}/`);
await page.evaluate(
  ([address, token]) => {
    const socket = handrail.connect({ address, token });
    const transport = handrail.serverTransport({ address, token, socket });
    const panel = handrail.consoleWindow({ address, token });
    const host = handrail.createHost({ pluginId: "com.example", appId: "app", transport, panel });
    const payloads = [];
    host.uiPrompts.onUpdate((payload) => payloads.push(payload));
    for (const name of ["open", "close", "toggle"]) {
      document.getElementById(name).addEventListener("click", () => host.uiPrompts[name]());
    }
    Object.assign(globalThis, { app: { host, payloads, asked: null } });
    return new Promise((resolve) => socket.on("connect", resolve));
  },
  [address, token],
);
/** Until handrail knows that the window is open. */
async function opened(window) {
  await window.locator(".connection.online").waitFor({ state: "attached" });
  const panel = new URL(window.url()).searchParams.get("panel");
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = JSON.stringify({ panel, action: "focus" });
  let isOpen = false;
  while (!isOpen) ({ isOpen } = (await (await fetch(`${address}/api/prompts/panel`, { method: "POST", headers, body })).json()).data);
}
const windows = () => context.pages().length - 1;
const steps = {
  call: (name, ...words) => page.evaluate(([name, words]) => app.host.uiPrompts[name](...words), [name, words]),
  ask: (payload) => page.evaluate((payload) => void (app.asked = handrail.ask(app.host, payload)), payload),
  asked: () => page.evaluate(() => app.asked),
  /** How many entries the last update has had. */
  told: () => page.evaluate(() => app.payloads.at(-1)?.entries.length ?? 0),
  press: (name) => page.click(`#${name}`),
  windows,
  /** Waits until there are so many windows beside the app, each with the console in it. */
  async untilWindows(count) {
    while (windows() !== count) await context.waitForEvent(windows() < count ? "page" : "close", { timeout: 1000 }).catch(() => undefined);
    for (const each of context.pages().filter((one) => one !== page)) await opened(each);
  },
  leave: () => page.close(),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [step, ...words] = JSON.parse(line);
  try {
    console.log(JSON.stringify({ ok: true, value: (await steps[step](...words)) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ ok: false, error: String(error) }));
  }
}
await browser.close();
server.close();
