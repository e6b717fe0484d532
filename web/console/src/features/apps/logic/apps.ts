/** The apps as the server describes them, and how the page lists them. */

import type { Call } from "../../history/logic/calls";
import type { JsonSchema } from "../../tools/logic/schema";

export interface ListedApp {
  id: string;
  name: string;
  description: string;
  source: string;
  tools: { name: string; description: string }[];
}

export interface DescriptorProblem {
  source: string;
  field: string;
  reason: string;
}

export interface AppsOverview {
  apps: ListedApp[];
  problems: DescriptorProblem[];
}

export interface SignIn {
  type: "none" | "api_key" | "oauth2";
  signedIn: boolean;
  source?: "environment" | "store";
  /** In seconds since 1970. */
  expiresAt?: number;
  /** The hosts that take part in a sign-in in the browser. */
  hosts?: { authorization: string; token: string; refresh?: string };
  /** Why the stored credentials don't work. */
  reason?: string;
  /** A sign-in is in progress in the browser. */
  isWaiting: boolean;
  /** Why the last attempt failed. */
  problem?: string;
}

export interface AppTool {
  name: string;
  description: string;
  parameters: JsonSchema;
  returns?: JsonSchema;
  idempotent: boolean;
}

export interface AppDetails {
  id: string;
  name: string;
  description: string;
  version?: string;
  source: string;
  execution: { type: string; place: string };
  auth: SignIn;
  tools: AppTool[];
}

export interface Consent {
  id: string;
  caller: string;
  app: string;
  appName: string;
  /** null: all tools of the app. */
  tool: string | null;
  at: string;
  by: string;
  /** The app still declares what the person was shown. */
  valid: boolean;
}

/** Every word must occur in the description of the app or of one of its tools. */
export function findApps(apps: readonly ListedApp[], words: string): ListedApp[] {
  const queryWords = words.toLowerCase().split(/\s+/).filter(Boolean);
  return apps.filter((app) => {
    const text = [app.id, app.name, app.description, ...app.tools.flatMap((tool) => [tool.name, tool.description])].join("\n").toLowerCase();
    return queryWords.every((word) => text.includes(word));
  });
}

const SHOWN_CALLS = 5;

/** The newest calls of an app's tools, newest first. */
export function lastCallsOf(calls: readonly Call[], app: string): Call[] {
  return calls.filter(({ tool, target }) => tool === "apps_call" && target === app).slice(0, SHOWN_CALLS);
}

export function consentsFor(consents: readonly Consent[], app: string): Consent[] {
  return consents.filter((consent) => consent.app === app);
}

/** An MCP server behind the gate, and how many of its tools are accepted. */
export interface Server {
  name: string;
  /** Its command or address. */
  place: string;
  tools: number;
  /** How many of them only read, and don't ask. */
  reads: number;
}
