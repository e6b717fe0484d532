// A UI app on `@handrail/host` in a page of the running server: `node ui_app.mjs ADDRESS-WITH-CODE`; steps come on stdin.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { args, executablePath } from "../../web/console/e2e/chromium.mjs";

const require = createRequire(new URL("../../web/console/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const { rolldown } = await import(require.resolve("rolldown"));

const bundle = await rolldown({ input: fileURLToPath(new URL("../../web/host/src/index.ts", import.meta.url)) });
const { output } = await bundle.generate({ format: "iife", name: "handrail" });

const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ locale: "en-US" });
await page.goto(process.argv[2]);
await page.locator(".connection.online").waitFor();
await page.evaluate(`${output[0].code}; globalThis.handrail = handrail`);
await page.evaluate(() => {
  const socket = handrail.connect();
  const panel = { calls: [] };
  for (const name of ["open", "close", "toggle"]) panel[name] = () => panel.calls.push(name);
  const transport = handrail.serverTransport({ socket });
  const host = handrail.createHost({ pluginId: "com.example.plugin", appId: "my-app", transport, panel });
  const heard = [];
  const stop = host.uiPrompts.onUpdate((payload) => heard.push(payload));
  Object.assign(globalThis, { app: { host, panel, heard, stop, ask: handrail.ask } });
  return new Promise((resolve) => socket.on("connect", resolve));
});

const steps = {
  /** `host.uiPrompts.NAME(…)`: what it gives, or the code with which it is refused. */
  call: (name, ...args) =>
    page.evaluate(
      async ([name, args]) => {
        try {
          return { given: (await app.host.uiPrompts[name](...args)) ?? null };
        } catch (error) {
          return { refused: error.code, details: error.details };
        }
      },
      [name, args],
    ),
  /** Waits until `onUpdate` has told of this entry. */
  hear: (action, requestId) =>
    page
      .waitForFunction(
        ([action, requestId]) =>
          app.heard
            .flatMap(({ entries }) => entries)
            .find((entry) => entry.action === action && entry.requestId === requestId),
        [action, requestId],
      )
      .then((entry) => entry.jsonValue()),
  stop: () => page.evaluate(() => app.stop()),
  heard: () => page.evaluate(() => app.heard.length),
  panel: () => page.evaluate(() => app.panel.calls),
  /** The second question depends on the answer to the first. */
  chain: () =>
    page.evaluate(() => {
      app.chain = (async () => {
        const options = [{ value: "small" }, { value: "large" }];
        const first = await app.ask(app.host, { requestId: "chain-1", prompt: { kind: "choice", options } });
        const fields = [{ key: first.selection }];
        return [first, await app.ask(app.host, { requestId: "chain-2", prompt: { kind: "kv", fields } })];
      })();
    }),
  chained: () => page.evaluate(() => app.chain),
  /** How a form's field is drawn: `textarea`, or the type of its input. */
  field: (label) =>
    page.getByLabel(label).evaluate((element) => (element.tagName === "TEXTAREA" ? "textarea" : element.type)),
  count: (role, name) => page.getByRole(role, { name }).count(),
  see: (text) => page.getByText(text).first().waitFor(),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [step, ...words] = JSON.parse(line);
  try {
    console.log(JSON.stringify({ ok: true, value: (await steps[step](...words)) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ ok: false, error: String(error), shown: await page.locator("body").innerText() }));
  }
}
await browser.close();
