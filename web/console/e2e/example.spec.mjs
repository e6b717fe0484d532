/** The example UI app and the console side by side: a chain of questions through @handrail/host. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { TOKEN } from "../dev/mock-server.mjs";
import { armed, launch } from "./browser.mjs";

const root = fileURLToPath(new URL("../../../examples/ui-app", import.meta.url));
let world;
let vite;
let state;
before(async () => {
  world = await launch();
  state = mkdtempSync(join(tmpdir(), "handrail-example-"));
  const { hostname, port } = new URL(world.mock.url);
  writeFileSync(join(state, "server.json"), JSON.stringify({ host: hostname, port: Number(port), token: TOKEN }));
  process.env.HANDRAIL_STATE = state;
  vite = await createServer({ root, configFile: join(root, "vite.config.js"), cacheDir: join(state, "vite"), logLevel: "silent", server: { port: 0 } });
  await vite.listen();
});
after(async () => {
  await vite.close();
  await world.close();
  rmSync(state, { recursive: true });
});

test("each question follows from the answer before, and names the app as its source", async () => {
  const person = await world.open();
  const app = await (await person.context().browser().newContext()).newPage();
  await app.goto(vite.resolvedUrls.local[0]);
  await app.getByRole("button", { name: "Start" }).click();

  await person.getByLabel("City").fill("Kyoto");
  await armed(person);
  await person.getByRole("button", { name: "Send" }).click();
  await app.getByText("To Kyoto, 2 days.").waitFor();
  await person.getByRole("heading", { name: "How to get to Kyoto?" }).waitFor();
  await person.getByText("org.handrail.examples:trip").first().waitFor();
  await person.getByText("By bike").click();
  await armed(person);
  await person.getByRole("button", { name: "Choose" }).click();
  await person.getByRole("heading", { name: "What needs to be done?" }).waitFor();
  assert.equal(await person.getByLabel("Title").first().inputValue(), "Check the brakes");
  await armed(person);
  await person.getByRole("button", { name: "Confirm" }).click();
  await person.getByRole("heading", { name: "The trip is planned" }).waitFor();
  await armed(person);
  await person.keyboard.press("y");
  await app.getByText("Done.").waitFor();
});
