/** The one store: what the console knows. Only actions/ writes to it. */

import { computed, signal } from "@preact/signals";
import { undoneIn, type Call } from "./logic/calls";
import type { JsonSchema } from "./logic/schema";
import { emptyQueue, pendingCount, type Queue } from "./logic/queue";
import { preferences } from "./preferences";
import { dictionaries, type Language } from "./texts";

export interface Session {
  version: string;
  project: string;
  lang?: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  surface: string;
  effect: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema | null;
  deadlineMs: number;
  idempotent: boolean;
}

export interface PolicyRule {
  tool?: string;
  effect?: string;
  path?: string;
  host?: string;
  app?: string;
  decision: string;
}

export interface Policy {
  path?: string;
  exists?: boolean;
  trusted?: boolean;
  mode?: string;
  policies?: Record<string, unknown>;
  rules?: PolicyRule[];
  defaults?: Record<string, string>;
}

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  fix?: string | null;
  required: boolean;
}

export interface Doctor {
  ok: boolean;
  checks: Check[];
}

export interface Program {
  name: string;
  lastSeen: string;
}

/** Each kind of token has its own members; this console knows the server's. */
export interface ServerToken {
  kind: "server";
  file: string;
  ending: string;
  programs: Program[];
}

export interface BrowserSession {
  id: string;
  createdAt: string;
  expiresAt: string;
  userAgent: string;
  isCurrent: boolean;
}

export interface Access {
  tokens: (ServerToken | { kind: string })[];
  sessions: BrowserSession[];
}

export const PAGES = ["chat", "activity", "prompts", "browser", "desktop", "apps", "webgal", "tools", "settings"] as const;
export type Page = (typeof PAGES)[number];

export const session = signal<Session | "unknown" | "signedOut">("unknown");
export const connection = signal<"connecting" | "online" | "offline">("connecting");
export const page = signal<Page>("activity");
/** What of the page is shown, as the address says: `#/chat/<taskId>`. */
export const subject = signal("");
/** The task whose calls are shown one after the other. */
export const filmed = signal<string | null>(null);
export const queue = signal<Queue>(emptyQueue);
export const isPanelOpen = signal(false);
/** Where the next older page of each list starts; undefined once all is read. */
export const olderPrompts = signal<string | undefined>(undefined);
export const olderCalls = signal<string | undefined>(undefined);
export const calls = signal<readonly Call[]>([]);
export const areCallsLoaded = signal(false);
/** Read out by screen readers. */
export const announcement = signal("");

export const waiting = computed(() => pendingCount(queue.value));
export const undone = computed(() => undoneIn(calls.value));
export const history = computed(() => queue.value.answered);
export const language = computed<Language>(() => {
  const chosen = preferences.value.language;
  if (chosen !== "auto") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
});
export const texts = computed(() => dictionaries[language.value]);
