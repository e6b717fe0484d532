/**
 * What a browser has open: full snapshots, of which an older one never replaces a newer one, and the tree built from
 * them.
 */

export interface Tab {
  tabId: number;
  windowId: number;
  groupId?: number;
  url?: string;
  title?: string;
  status?: string;
  active: boolean;
  pinned: boolean;
  index: number;
  /** The task that it belongs to. */
  taskId?: string;
}

export interface BrowserWindow {
  windowId: number;
  focused: boolean;
  type: string;
}

export interface TabGroup {
  id: number;
  collapsed: boolean;
  color: string;
  title?: string;
  windowId: number;
}

export interface BrowserState {
  windows: BrowserWindow[];
  tabs: Tab[];
  tabGroups: TabGroup[];
  activeWindowId: number | null;
  activeTabId: number | null;
  lastUpdated: number;
}

/** The response of `GET /api/snapshot`. */
export interface Snapshot extends BrowserState {
  connected: boolean;
  ageMs: number;
  stale: boolean;
  clientId?: string;
}

/** The payload of `snapshotSync`. */
export interface SnapshotSync {
  seq: number;
  state: BrowserState;
  clientId?: string;
}

/** By the browser's clientId. `seq` is the last number received on this connection. */
export interface Snapshots {
  seq: number;
  of: ReadonlyMap<string, BrowserState>;
}

export const noSnapshots: Snapshots = { seq: 0, of: new Map() };
export const STALE_AFTER_MS = 30_000;
const NO_GROUP = -1;

export function takeSync(snapshots: Snapshots, { seq, state, clientId }: SnapshotSync): Snapshots {
  if (clientId === undefined || seq <= snapshots.seq) return snapshots;
  return { ...withState(snapshots, clientId, state), seq };
}

/** What was read may be older than an event that arrived in the meantime. */
export function takeRead(snapshots: Snapshots, { clientId, ...state }: Snapshot): Snapshots {
  return clientId === undefined ? snapshots : withState(snapshots, clientId, state);
}

/** A restarted server counts from the beginning. */
export const afterReconnect = (snapshots: Snapshots): Snapshots => ({ ...snapshots, seq: 0 });

function withState(snapshots: Snapshots, clientId: string, state: BrowserState): Snapshots {
  const before = snapshots.of.get(clientId);
  if (before && state.lastUpdated < before.lastUpdated) return snapshots;
  return { ...snapshots, of: new Map(snapshots.of).set(clientId, state) };
}

export function isStale(state: BrowserState, isConnected: boolean, now: number): boolean {
  return !isConnected || now - state.lastUpdated > STALE_AFTER_MS;
}

export type Branch = { kind: "tab"; tab: Tab } | { kind: "group"; group: TabGroup; tabs: Tab[] };

export interface WindowTree {
  window: BrowserWindow;
  isActive: boolean;
  branches: Branch[];
  tabCount: number;
}

/** The active window first. Tabs whose window is unknown get one all the same. */
export function windowTrees(state: BrowserState): WindowTree[] {
  const windows = new Map(state.windows.map((window) => [window.windowId, window]));
  for (const { windowId } of state.tabs) {
    if (!windows.has(windowId)) windows.set(windowId, { windowId, focused: false, type: "normal" });
  }
  const trees = [...windows.values()].map((window): WindowTree => {
    const tabs = state.tabs.filter((tab) => tab.windowId === window.windowId).sort((a, b) => a.index - b.index);
    return { window, isActive: window.windowId === state.activeWindowId, branches: branchesOf(tabs, state.tabGroups), tabCount: tabs.length };
  });
  return trees.sort((a, b) => Number(b.isActive) - Number(a.isActive));
}

function branchesOf(tabs: readonly Tab[], groups: readonly TabGroup[]): Branch[] {
  const branches: Branch[] = [];
  for (const tab of tabs) {
    const { groupId = NO_GROUP } = tab;
    const last = branches.at(-1);
    if (groupId === NO_GROUP) branches.push({ kind: "tab", tab });
    else if (last?.kind === "group" && last.group.id === groupId) last.tabs.push(tab);
    else branches.push({ kind: "group", group: groups.find(({ id }) => id === groupId) ?? unknownGroup(tab, groupId), tabs: [tab] });
  }
  return branches;
}

const unknownGroup = ({ windowId }: Tab, id: number): TabGroup => ({ id, collapsed: false, color: "grey", windowId });

/** The task's current tab: the one in front among its own. */
export function tabOf(state: BrowserState | undefined, taskId: string): Tab | undefined {
  const own = state?.tabs.filter((tab) => tab.taskId === taskId) ?? [];
  return own.find((tab) => tab.active) ?? own.at(-1);
}
