/** The wire between plugin and server (contract 2): the server's declarations (web/protocol) and the messages. */

import type { PROTOCOL, Tab, TabGroup, Window } from "../../protocol";

export { ACTIONS, ERRORS, FINGERPRINT, PROTOCOL, TIMEOUTS } from "../../protocol";
export type { ActionName, ErrorCode, StateEventType, Tab, TabGroup, TakeoverReason, Window } from "../../protocol";

export interface FullState {
  windows: Window[]; tabs: Tab[]; tabGroups: TabGroup[]; activeWindowId: number | null; activeTabId: number | null;
  /** An addition to the contract, like `task_status`: with both, server and browser agree on every task. */
  tasks: HeldTask[];
}
export interface HeldTask { taskId: string; status: "running" | "takeover"; tabIds: number[] }

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
  /** An addition to the contract: ports of this machine that handrail itself listens on. */
  ownPorts?: number[];
  /** Another addition: regular expressions for addresses that the task's tabs must not request. */
  deniedPages?: string[];
  /** Another addition: the origin of the page when the server decided about the action. */
  expectedOrigin?: string;
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

/** An addition to the contract: what a person is to confirm in the extension's own window. */
export interface ConfirmAsk {
  v?: number;
  type: "confirm_ask";
  confirmId: string;
  digest: string;
  requestId?: string;
  subject: string;
  title: string;
  lines: { name: string; value: string }[];
  text: string;
  /** How many characters of the text are not shown. */
  left: number;
}
export type ConfirmAnswer = "allow" | "deny" | "later" | "automated";

/** The server's status of a task: taken over by a person, completed, or any other value while it continues. */
export interface TaskStatus { v?: number; type: "task_status"; taskId: string; status: string; reading?: boolean }
