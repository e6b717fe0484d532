import { expect, test } from "vitest";
import { countdown } from "../src/logic/countdown";
import { healthOf, inOrder, pluginName, type Plugin } from "../src/logic/plugins";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
const plugin = (clientId: string, more: Partial<Plugin> = {}): Plugin => ({
  clientId, extensionId: "", extensionName: "handrail", ua: CHROME, version: "0.1.0", browserName: "chrome", socketConnected: true, healthy: true, selected: false, lastSeenAt: 1, ...more,
});

test("a plugin is there and well, there and unwell, or away", () => {
  expect(healthOf(plugin("a"))).toBe("connected");
  expect(healthOf(plugin("a", { healthy: false }))).toBe("unwell");
  expect(healthOf(plugin("a", { socketConnected: false, healthy: false }))).toBe("away");
});

test("a browser's own word for itself goes before what it sends to pages", () => {
  expect(pluginName(plugin("a"))).toBe("Chrome 150 · Linux");
  expect(pluginName(plugin("a", { browserName: "chromium" }))).toBe("Chromium 150 · Linux");
  expect(pluginName(plugin("a", { ua: "", browserName: "brave" }))).toBe("Brave");
  expect(pluginName(plugin("a", { ua: "", browserName: "" }))).toBe("a");
  expect(pluginName(plugin("a", { ua: "My own browser", browserName: "" }))).toBe("My own browser");
});

test("who is there comes first, the selected one before the last seen", () => {
  const all = [plugin("away", { socketConnected: false, lastSeenAt: 9 }), plugin("late", { lastSeenAt: 8 }), plugin("chosen", { selected: true })];
  expect(inOrder(all).map(({ clientId }) => clientId)).toEqual(["chosen", "late", "away"]);
});

test("the time that is left", () => {
  expect(countdown(600_000, 0)).toBe("10:00");
  expect(countdown(61_000, 500)).toBe("1:01");
  expect(countdown(1000, 999)).toBe("0:01");
  expect(countdown(1000, 1000)).toBe("");
});
