/** Generated from the Python declarations by `scripts/protocol.py`; don't edit. */

export const PROTOCOL = 1 as const;
export const FINGERPRINT = "3b7009b6c1a14363" as const;
export const EXTENSION_ID = "baoanimhflihpgcnepaoljokhdpilplm" as const;
export const TIMEOUTS = { ackMs: 1500, retryAfterMs: 1000, longestActionMs: 600000, uploadMs: 60000, staleAfterMs: 30000 } as const;
export const MAX_UPLOAD_BYTES = 26214400 as const;
export const ACTIONS = {
  browser_click: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_console: { timeoutMs: 5000, isIdempotent: true, acts: false },
  browser_debugger_attach: { timeoutMs: 5000, isIdempotent: true, acts: false },
  browser_debugger_detach: { timeoutMs: 5000, isIdempotent: true, acts: false },
  browser_dom_index: { timeoutMs: 10000, isIdempotent: true, acts: false },
  browser_drag: { timeoutMs: 15000, isIdempotent: false, acts: true },
  browser_fill: { timeoutMs: 30000, isIdempotent: false, acts: true },
  browser_find_text: { timeoutMs: 10000, isIdempotent: true, acts: false },
  browser_get_html: { timeoutMs: 10000, isIdempotent: true, acts: false },
  browser_go_back: { timeoutMs: 30000, isIdempotent: false, acts: true },
  browser_go_forward: { timeoutMs: 30000, isIdempotent: false, acts: true },
  browser_hover: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_navigate: { timeoutMs: 30000, isIdempotent: false, acts: true },
  browser_page: { timeoutMs: 10000, isIdempotent: true, acts: false },
  browser_pdf: { timeoutMs: 30000, isIdempotent: true, acts: false },
  browser_press_key: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_readability_extract: { timeoutMs: 10000, isIdempotent: true, acts: false },
  browser_reload: { timeoutMs: 30000, isIdempotent: false, acts: true },
  browser_requests: { timeoutMs: 5000, isIdempotent: true, acts: false },
  browser_screenshot: { timeoutMs: 10000, isIdempotent: true, acts: false },
  browser_scroll: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_select_option: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_select_text: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_tab_close: { timeoutMs: 5000, isIdempotent: false, acts: true },
  browser_tab_open: { timeoutMs: 30000, isIdempotent: false, acts: true },
  browser_tab_switch: { timeoutMs: 5000, isIdempotent: true, acts: true },
  browser_tabs: { timeoutMs: 5000, isIdempotent: true, acts: false },
  browser_type: { timeoutMs: 10000, isIdempotent: false, acts: true },
  browser_upload: { timeoutMs: 60000, isIdempotent: false, acts: true },
  browser_wait_for: { timeoutMs: 30000, isIdempotent: true, acts: false },
  browser_wait_for_loaded: { timeoutMs: 20000, isIdempotent: true, acts: false },
  browser_xpath_scan: { timeoutMs: 10000, isIdempotent: true, acts: false },
  task_group_update: { timeoutMs: 5000, isIdempotent: true, acts: true },
  task_start: { timeoutMs: 20000, isIdempotent: false, acts: true },
  task_stop: { timeoutMs: 5000, isIdempotent: true, acts: false },
} as const;
export const STATE_EVENTS = ["tab_created", "tab_updated", "tab_activated", "tab_removed", "window_created", "window_removed", "window_focused", "tab_group_created", "tab_group_updated", "tab_group_removed", "tab_group_moved"] as const;
export const PLUGIN_MESSAGES = ["activate_extension", "full_state_sync", "tab_event", "debugger_event", "task_takeover", "task_handback", "task_stopped", "browser_action_result", "confirm_answer"] as const;
export const SERVER_MESSAGES = ["browser_action", "task_status", "confirm_ask", "confirm_close"] as const;
export const FRONTEND_EVENTS = ["chatDelta", "thinkingDelta", "structuredOutput", "snapshotSync", "toolUsed", "runStatus", "taskStatus"] as const;
export const TAKEOVER_REASONS = ["user_input", "popup", "badge", "console"] as const;
export const TASK_STATUSES = ["created", "running", "ongoing", "takeover", "completed", "error"] as const;
export const ERRORS = {
  ARTIFACT_UPLOAD_FAILED: { httpCode: "UNAVAILABLE", isRetryable: true },
  CDP_PERMISSION_DENIED: { httpCode: "FORBIDDEN", isRetryable: false },
  CDP_UNAVAILABLE: { httpCode: "UNAVAILABLE", isRetryable: true },
  INVALID_TARGET: { httpCode: "NOT_FOUND", isRetryable: false },
  INVALID_TASK_TAB: { httpCode: "NOT_FOUND", isRetryable: false },
  NAVIGATION_TIMEOUT: { httpCode: "UNAVAILABLE", isRetryable: true },
  PAGE_PREP_FAILED: { httpCode: "UNAVAILABLE", isRetryable: true },
  PLUGIN_ERROR: { httpCode: "UNAVAILABLE", isRetryable: false },
  PLUGIN_OFFLINE: { httpCode: "UNAVAILABLE", isRetryable: true },
  PLUGIN_TIMEOUT_ACK: { httpCode: "UNAVAILABLE", isRetryable: true },
  PLUGIN_TIMEOUT_EXEC: { httpCode: "UNAVAILABLE", isRetryable: true },
  READABILITY_TOO_LARGE: { httpCode: "BAD_REQUEST", isRetryable: false },
  SCHEMA_VALIDATION_FAILED: { httpCode: "UNAVAILABLE", isRetryable: false },
  TASK_TAB_CLOSED: { httpCode: "NOT_FOUND", isRetryable: false },
} as const;

export type StateEventType = (typeof STATE_EVENTS)[number];
export type PluginMessageType = (typeof PLUGIN_MESSAGES)[number];
export type ServerMessageType = (typeof SERVER_MESSAGES)[number];
export type FrontendEventType = (typeof FRONTEND_EVENTS)[number];
export type TakeoverReason = (typeof TAKEOVER_REASONS)[number];
export type TaskStatus = (typeof TASK_STATUSES)[number];
export type ActionName = keyof typeof ACTIONS;
export type ErrorCode = keyof typeof ERRORS;

export interface Tab { tabId: number; windowId: number; groupId?: number; url?: string; title?: string; favIconUrl?: string; status?: string; active?: boolean; pinned?: boolean; hidden?: boolean; index?: number; openerTabId?: number }
export interface TabGroup { id: number; collapsed?: boolean; color?: string; title?: string; windowId: number }
export interface Window { windowId: number; focused?: boolean; top?: number; left?: number; width?: number; height?: number; type?: string }

export interface ActionParams {
  browser_click: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; x?: number; y?: number; button?: "left" | "middle" | "right"; clicks?: number; modifiers?: ("Alt" | "Control" | "Meta" | "Shift")[]; holdMs?: number; strategy?: "cdp_mouse" | "dom_click"; dialog?: "accept" | "dismiss"; promptText?: string; expected?: string; frameOrigins?: string[] };
  browser_console: { timeoutMs?: number; tabId: number; limit?: number };
  browser_debugger_attach: { timeoutMs?: number; tabId: number };
  browser_debugger_detach: { timeoutMs?: number; tabId: number };
  browser_dom_index: { timeoutMs?: number; tabId: number; scope?: "document" | "viewport"; offset?: number; limit?: number; boxes?: boolean; assignAttr?: boolean };
  browser_drag: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; x?: number; y?: number; toClickId?: string; dx?: number; dy?: number; path?: number[][]; expected?: string; frameOrigins?: string[] };
  browser_fill: { timeoutMs?: number; tabId: number; fields: ({ clickId: string; value: string | boolean })[]; submit?: boolean; expected?: string; frameOrigins?: string[] };
  browser_find_text: { timeoutMs?: number; tabId: number; text: string };
  browser_get_html: { timeoutMs?: number; tabId: number; xpath?: string };
  browser_go_back: { timeoutMs?: number; tabId: number; expected?: string; frameOrigins?: string[] };
  browser_go_forward: { timeoutMs?: number; tabId: number; expected?: string; frameOrigins?: string[] };
  browser_hover: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; x?: number; y?: number; expected?: string; frameOrigins?: string[] };
  browser_navigate: { timeoutMs?: number; tabId: number; url: string; expected?: string; frameOrigins?: string[] };
  browser_page: { timeoutMs?: number; tabId: number; scope?: "document" | "viewport"; offset?: number; limit?: number };
  browser_pdf: { timeoutMs?: number; tabId: number };
  browser_press_key: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; key: string; dialog?: "accept" | "dismiss"; promptText?: string; expected?: string; frameOrigins?: string[] };
  browser_readability_extract: { timeoutMs?: number; tabId: number };
  browser_reload: { timeoutMs?: number; tabId: number; expected?: string; frameOrigins?: string[] };
  browser_requests: { timeoutMs?: number; tabId: number; limit?: number };
  browser_screenshot: { timeoutMs?: number; tabId: number; fullPage?: boolean; clickId?: string; xpath?: string; asking?: string; point?: string; also?: string };
  browser_scroll: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; direction?: "down" | "left" | "right" | "up"; amount?: number; wheel?: boolean; expected?: string; frameOrigins?: string[] };
  browser_select_option: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; values: string[]; expected?: string; frameOrigins?: string[] };
  browser_select_text: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; text?: string; expected?: string; frameOrigins?: string[] };
  browser_tab_close: { timeoutMs?: number; tabId: number; expected?: string; frameOrigins?: string[] };
  browser_tab_open: { timeoutMs?: number; url?: string; expected?: string; frameOrigins?: string[] };
  browser_tab_switch: { timeoutMs?: number; tabId: number; expected?: string; frameOrigins?: string[] };
  browser_tabs: { timeoutMs?: number };
  browser_type: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; text: string; submit?: boolean; append?: boolean; strategy?: "cdp_key" | "dom_input"; expected?: string; frameOrigins?: string[] };
  browser_upload: { timeoutMs?: number; tabId: number; clickId?: string; xpath?: string; artifactIds: string[]; expected?: string; frameOrigins?: string[] };
  browser_wait_for: { timeoutMs?: number; tabId: number; text?: string; textGone?: string; idleMs?: number };
  browser_wait_for_loaded: { timeoutMs?: number; tabId: number };
  browser_xpath_scan: { timeoutMs?: number; tabId: number; scope?: "document" | "viewport"; limit?: number };
  task_group_update: { timeoutMs?: number; color?: "blue" | "cyan" | "green" | "grey" | "orange" | "pink" | "purple" | "red" | "yellow"; title?: string; expected?: string; frameOrigins?: string[] };
  task_start: { timeoutMs?: number; url?: string; reuseExistingTab?: boolean; groupTitle?: string; groupColor?: "blue" | "cyan" | "green" | "grey" | "orange" | "pink" | "purple" | "red" | "yellow"; expected?: string; frameOrigins?: string[] };
  task_stop: { timeoutMs?: number; closeTab?: boolean };
}

export interface ActionResults {
  browser_click: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; clicked: true; strategy?: string };
  browser_console: { warnings?: string[]; messages: { level: string; text: string; timestamp: number; url?: string; line?: number }[]; total: number };
  browser_debugger_attach: { warnings?: string[]; attached: true };
  browser_debugger_detach: { warnings?: string[]; detached: true };
  browser_dom_index: { warnings?: string[]; elements: { clickId: string; tag: string; role?: string; name?: string; text?: string; value?: string; states?: string[]; hint?: string; xpath?: string; bbox?: { x: number; y: number; w: number; h: number } }[]; total?: number; url?: string; title?: string; nextOffset?: number };
  browser_drag: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; dragged: true };
  browser_fill: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; filled: string[] };
  browser_find_text: { warnings?: string[]; matches: { text: string; clickId?: string; tag?: string; bbox?: { x: number; y: number; w: number; h: number } }[]; total: number };
  browser_get_html: { warnings?: string[]; artifactId: string; url: string };
  browser_go_back: { warnings?: string[]; hops?: string[]; navigated: true; tabId: number; url: string };
  browser_go_forward: { warnings?: string[]; hops?: string[]; navigated: true; tabId: number; url: string };
  browser_hover: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; hovered: true };
  browser_navigate: { warnings?: string[]; hops?: string[]; navigated: true; tabId: number; url: string };
  browser_page: { warnings?: string[]; lines: string[]; total: number; url?: string; title?: string; nextOffset?: number; above?: number; below?: number };
  browser_pdf: { warnings?: string[]; artifactId: string; url: string };
  browser_press_key: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; pressed: true; key: string };
  browser_readability_extract: { warnings?: string[]; markdown?: string; title?: string; artifactId?: string; contentLengthBytes?: number; truncated?: boolean; nextOffset?: number };
  browser_reload: { warnings?: string[]; hops?: string[]; navigated: true; tabId: number; url: string };
  browser_requests: { warnings?: string[]; requests: { url: string; method: string; timestamp: number; status?: number; error?: string }[]; total: number };
  browser_screenshot: { warnings?: string[]; artifactId: string; url: string; width?: number; height?: number; screenshotUploaded: true };
  browser_scroll: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; scrolled: true; x: number; y: number; atEnd: boolean };
  browser_select_option: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; selected: string[] };
  browser_select_text: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; selected: string };
  browser_tab_close: { warnings?: string[]; closed: true };
  browser_tab_open: { warnings?: string[]; hops?: string[]; tabId: number; windowId: number; url: string };
  browser_tab_switch: { warnings?: string[]; switched: true; tabId: number };
  browser_tabs: { warnings?: string[]; tabs: { tabId: number; windowId: number; groupId?: number; url?: string; title?: string; favIconUrl?: string; status?: string; active?: boolean; pinned?: boolean; hidden?: boolean; index?: number; openerTabId?: number }[] };
  browser_type: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; typed: true; strategy?: string };
  browser_upload: { warnings?: string[]; hops?: string[]; changes?: { navigated?: string; dialog?: { type: string; message?: string; answer?: "accepted" | "dismissed" }; newTab?: number; download?: { filename: string; url?: string; state?: string }; added?: string[]; removed?: string[]; more?: number; look?: boolean; closed?: boolean }; uploaded: true; files: string[] };
  browser_wait_for: { warnings?: string[]; met: "idle" | "text" | "textGone" };
  browser_wait_for_loaded: { warnings?: string[]; status: "complete" };
  browser_xpath_scan: { warnings?: string[]; elements: { xpath: string; tag: string; text?: string; clickId?: string; bbox?: { x: number; y: number; w: number; h: number } }[]; total?: number };
  task_group_update: { warnings?: string[]; updated: true };
  task_start: { warnings?: string[]; hops?: string[]; tabId: number; windowId: number; url: string; groupId?: number; title?: string };
  task_stop: { warnings?: string[]; stopped: true };
}
