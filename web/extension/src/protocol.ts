/** The wire between plugin and server (contract 2): messages as they travel, nothing about who sends them when. */

export const PROTOCOL = 1;

export interface Tab {
  tabId: number; windowId: number; groupId?: number; url?: string; title?: string; favIconUrl?: string; status?: string;
  active: boolean; pinned: boolean; hidden: boolean; index: number; openerTabId?: number;
}
export interface Window { windowId: number; focused: boolean; top?: number; left?: number; width?: number; height?: number; type: string }
export interface TabGroup { id: number; collapsed: boolean; color: string; title?: string; windowId: number }

export interface FullState {
  windows: Window[]; tabs: Tab[]; tabGroups: TabGroup[]; activeWindowId: number | null; activeTabId: number | null;
  /** An addition to the contract, and so is `task_status`: with both, server and browser agree on every task. */
  tasks: HeldTask[];
}
export interface HeldTask { taskId: string; status: "running" | "takeover"; tabIds: number[] }

export type EventType =
  | "tab_created" | "tab_updated" | "tab_activated" | "tab_removed"
  | "window_created" | "window_removed" | "window_focused"
  | "tab_group_created" | "tab_group_updated" | "tab_group_removed" | "tab_group_moved";

export interface ArtifactSlot { artifactId: string; url: string; name?: string; contentType?: string }

export interface BrowserAction {
  v?: number;
  type: "browser_action";
  id: string;
  taskId: string;
  clientId?: string;
  timestamp?: number;
  traceId?: string;
  action: Record<string, Record<string, unknown>>;
  screenshotPresignedUrl?: string;
  artifactPresignedUrl?: string;
  artifactId?: string;
  artifacts?: ArtifactSlot[];
}

export interface WireError { code: string; message: string; retryable: boolean; details?: Record<string, unknown> }

export interface ActionResult {
  v: typeof PROTOCOL;
  type: "browser_action_result";
  actionId: string;
  taskId: string;
  clientId: string;
  traceId?: string;
  status: "success" | "error" | "partial";
  result?: Record<string, unknown>;
  error?: WireError;
}

export type Ack = { ok: true } | { ok: false; error: { code: string; message: string } };

/** The server's word on a task: that a person has it, that it is over, or anything else for one that goes on. */
export interface TaskStatus { v?: number; type: "task_status"; taskId: string; status: string }

export type TakeoverReason = "user_input" | "popup" | "badge" | "console";
