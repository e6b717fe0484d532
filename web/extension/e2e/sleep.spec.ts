/** The worker's sleep: Chrome ends the worker while nothing happens, and its own alarm wakes it. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "./world";

let world: World;
beforeAll(async () => void (world = await World.open()));
afterAll(() => world.close());

test("a worker that Chrome has ended is woken by its alarm, without a person, and serves the next action", { timeout: 120_000 }, async () => {
  const { tabId, page } = await world.visit("/clicks");
  const clickId = await world.find(tabId, "Mover");
  const session = await world.context.newCDPSession(await world.extensionPage("options"));
  const passed: string[] = [];
  session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => passed.push(...versions.map(({ runningStatus }) => runningStatus)));
  const from = world.server.received.all.length;
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await expect.poll(() => passed).toContain("stopped");
  await world.server.received.first((message) => message["type"] === "activate_extension", from);
  const { tasks } = await world.server.received.first((message) => message["type"] === "full_state_sync" && message["tasks"].length > 0, from);
  expect(tasks).toEqual([{ taskId: world.taskId, status: "running", tabIds: [tabId] }]);
  expect(await world.act({ browser_click: { tabId, clickId } })).toMatchObject({ clicked: true, strategy: "cdp_mouse" });
  await expect.poll(() => page.evaluate("log")).toEqual(["mover true"]);
  expect(passed.slice(passed.lastIndexOf("stopped"))).toEqual(expect.arrayContaining(["stopped", "starting", "running"]));
});
