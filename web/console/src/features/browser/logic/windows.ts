/** What a browser has open: full snapshots, of which an older one never replaces a newer one; and the tree they make. */

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

/** As `GET /api/snapshot` answers. */
export interface Snapshot extends BrowserState {
  connected: boolean;
  ageMs: number;
  stale: boolean;
  clientId?: string;
}

/** As `snapshotSync` brings it. */
export interface SnapshotSync {
  seq: number;
  state: BrowserState;
  clientId?: string;
}

/** By the browser's clientId. `seq` is the last one heard on this connection. */
export interface Snapshots {
  seq: number;
  of: ReadonlyMap<string, BrowserState>;
}

export const noSnapshots: Snapshots = { seq: 0, of: new Map() };
export const STALE_AFTER_MS = 30_000;
const NO_GROUP = -1;

export function takeSync(known: Snapshots, { seq, state, clientId }: SnapshotSync): Snapshots {
  if (clientId === undefined || seq <= known.seq) return known;
  return { ...withState(known, clientId, state), seq };
}

/** What was read may be older than what was told while it was on its way. */
export function takeRead(known: Snapshots, { clientId, ...state }: Snapshot): Snapshots {
  return clientId === undefined ? known : withState(known, clientId, state);
}

/** A server that was started again counts from the beginning. */
export const afterReconnect = (known: Snapshots): Snapshots => ({ ...known, seq: 0 });

function withState(known: Snapshots, clientId: string, state: BrowserState): Snapshots {
  const before = known.of.get(clientId);
  if (before && state.lastUpdated < before.lastUpdated) return known;
  return { ...known, of: new Map(known.of).set(clientId, state) };
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

/** The active window first. Tabs whose window was not told of have one all the same. */
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

/** The tab that a task is at: the one in front among its own. */
export function tabOf(state: BrowserState | undefined, taskId: string): Tab | undefined {
  const own = state?.tabs.filter((tab) => tab.taskId === taskId) ?? [];
  return own.find((tab) => tab.active) ?? own.at(-1);
}
