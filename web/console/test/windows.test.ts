import { describe, expect, test } from "vitest";
import { afterReconnect, isStale, noSnapshots, tabOf, takeRead, takeSync, windowTrees, type BrowserState, type Tab } from "../src/features/browser/logic/windows";

const tab = (tabId: number, more: Partial<Tab> = {}): Tab => ({ tabId, windowId: 1, active: false, pinned: false, index: tabId, ...more });
const state = (lastUpdated: number, tabs: Tab[] = [], more: Partial<BrowserState> = {}): BrowserState => ({
  windows: [{ windowId: 1, focused: true, type: "normal" }], tabs, tabGroups: [], activeWindowId: 1, activeTabId: null, lastUpdated, ...more,
});
const read = (lastUpdated: number) => ({ ...state(lastUpdated), connected: true, ageMs: 0, stale: false, clientId: "a" });

describe("snapshots", () => {
  test("an older number is ignored, and so is the same one again", () => {
    const known = takeSync(noSnapshots, { seq: 5, state: state(50), clientId: "a" });
    expect(takeSync(known, { seq: 4, state: state(60), clientId: "a" })).toBe(known);
    expect(takeSync(known, { seq: 5, state: state(60), clientId: "a" })).toBe(known);
    expect(takeSync(known, { seq: 6, state: state(60), clientId: "a" }).of.get("a")?.lastUpdated).toBe(60);
  });
  test("a snapshot that was read does not replace a newer event", () => {
    const known = takeSync(noSnapshots, { seq: 1, state: state(50), clientId: "a" });
    expect(takeRead(known, read(40)).of.get("a")?.lastUpdated).toBe(50);
    expect(takeRead(known, read(50)).of.get("a")?.lastUpdated).toBe(50);
    expect(takeRead(known, read(51)).of.get("a")?.lastUpdated).toBe(51);
  });
  test("a restarted server counts from one", () => {
    const known = afterReconnect(takeSync(noSnapshots, { seq: 900, state: state(50), clientId: "a" }));
    expect(takeSync(known, { seq: 1, state: state(60), clientId: "a" }).of.get("a")?.lastUpdated).toBe(60);
  });
  test("browsers are kept apart", () => {
    const one = takeSync(noSnapshots, { seq: 1, state: state(50), clientId: "a" });
    const both = takeSync(one, { seq: 2, state: state(10), clientId: "b" });
    expect([...both.of].map(([id, { lastUpdated }]) => [id, lastUpdated])).toEqual([["a", 50], ["b", 10]]);
  });
  test("a browser is stale when it is offline or silent for half a minute", () => {
    expect(isStale(state(1000), true, 31_000)).toBe(false);
    expect(isStale(state(1000), true, 31_001)).toBe(true);
    expect(isStale(state(1000), false, 1000)).toBe(true);
  });
});

describe("the tree", () => {
  test("tabs are ordered by their index, and those of a group stay together", () => {
    const tabs = [tab(3, { groupId: 7 }), tab(1), tab(2, { groupId: 7 }), tab(4, { groupId: -1 })];
    const [tree] = windowTrees(state(1, tabs, { tabGroups: [{ id: 7, collapsed: false, color: "blue", title: "Work", windowId: 1 }] }));
    expect(tree?.branches.map((branch) => (branch.kind === "tab" ? branch.tab.tabId : [branch.group.title, ...branch.tabs.map(({ tabId }) => tabId)]))).toEqual([1, ["Work", 2, 3], 4]);
  });
  test("a group without data is still a group", () => {
    const [tree] = windowTrees(state(1, [tab(1, { groupId: 9 })]));
    expect(tree?.branches[0]).toMatchObject({ kind: "group", group: { id: 9 } });
  });
  test("the active window comes first, and a tab without a window gets one", () => {
    const windows = [{ windowId: 1, focused: false, type: "normal" }, { windowId: 2, focused: true, type: "normal" }];
    const trees = windowTrees(state(1, [tab(1), tab(2, { windowId: 3 })], { windows, activeWindowId: 2 }));
    expect(trees.map(({ window, tabCount }) => [window.windowId, tabCount])).toEqual([[2, 0], [1, 1], [3, 1]]);
  });
  test("a task's current tab is the one in front among its own", () => {
    const tabs = [tab(1, { active: true }), tab(2, { taskId: "t", active: true, windowId: 2 }), tab(3, { taskId: "t" })];
    expect(tabOf(state(1, tabs), "t")?.tabId).toBe(2);
    expect(tabOf(state(1, tabs), "other")).toBeUndefined();
    expect(tabOf(undefined, "t")).toBeUndefined();
  });
});
