import { expect, test } from "vitest";
import { countdown } from "../src/features/browser/logic/countdown";
import { distinctName, otherPlugins, healthOf, inOrder, inRows, preferredPlugin, pluginName, type Plugin } from "../src/features/browser/logic/plugins";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
const plugin = (clientId: string, more: Partial<Plugin> = {}): Plugin => ({
  clientId, extensionId: "", extensionName: "handrail", ua: CHROME, version: "0.2.0", browserName: "chrome", socketConnected: true, healthy: true, selected: false, chosen: false, lastSeenAt: 1, ...more,
});

test("a plugin is connected, not responding or offline", () => {
  expect(healthOf(plugin("a"))).toBe("connected");
  expect(healthOf(plugin("a", { healthy: false }))).toBe("unwell");
  expect(healthOf(plugin("a", { socketConnected: false, healthy: false }))).toBe("away");
});

test("a browser's own name takes precedence over its user agent", () => {
  expect(pluginName(plugin("a"))).toBe("Chrome 150 · Linux");
  expect(pluginName(plugin("a", { browserName: "chromium" }))).toBe("Chromium 150 · Linux");
  expect(pluginName(plugin("a", { ua: "", browserName: "brave" }))).toBe("Brave");
  expect(pluginName(plugin("a", { ua: "", browserName: "" }))).toBe("a");
  expect(pluginName(plugin("a", { ua: "My own browser", browserName: "" }))).toBe("My own browser");
});

test("connected browsers come first, the selected one before the last seen", () => {
  const all = [plugin("away", { socketConnected: false, lastSeenAt: 9 }), plugin("late", { lastSeenAt: 8 }), plugin("chosen", { selected: true })];
  expect(inOrder(all).map(({ clientId }) => clientId)).toEqual(["chosen", "late", "away"]);
});

test("a list with buttons keeps its order whichever browser is selected or was seen last", () => {
  const all = [plugin("b", { selected: true, lastSeenAt: 9 }), plugin("away", { socketConnected: false }), plugin("a")];
  expect(inRows(all).map(({ clientId }) => clientId)).toEqual(["a", "b", "away"]);
});

test("new tasks go to the chosen browser, also while it is offline, and without a choice to the selected one", () => {
  const all = [plugin("a", { selected: true }), plugin("b", { chosen: true, socketConnected: false })];
  expect(preferredPlugin(all)?.clientId).toBe("b");
  expect(preferredPlugin(all.slice(0, 1))?.clientId).toBe("a");
  expect(preferredPlugin([])).toBeUndefined();
});

test("a task can continue in any other browser that is connected", () => {
  const all = [plugin("own"), plugin("away", { socketConnected: false }), plugin("unwell", { healthy: false }), plugin("well")];
  expect(otherPlugins(all, "own").map(({ clientId }) => clientId)).toEqual(["well"]);
});

test("browsers of the same kind have distinct names", () => {
  const all = [plugin("plugin-123456"), plugin("plugin-abcdef"), plugin("c", { browserName: "edge" })];
  expect(all.map((one) => distinctName(one, all))).toEqual(["Chrome 150 · Linux (…123456)", "Chrome 150 · Linux (…abcdef)", "Edge 150 · Linux"]);
});

test("the remaining time", () => {
  expect(countdown(600_000, 0)).toBe("10:00");
  expect(countdown(61_000, 500)).toBe("1:01");
  expect(countdown(1000, 999)).toBe("0:01");
  expect(countdown(1000, 1000)).toBe("");
});
