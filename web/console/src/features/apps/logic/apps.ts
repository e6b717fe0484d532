/** The apps as the server tells of them, and what the page makes of that. */

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
  /** Who takes part in a sign-in in the browser. */
  hosts?: { authorization: string; token: string; refresh?: string };
  /** Why what is kept does not count. */
  reason?: string;
  /** Somebody is on their way through the browser. */
  isWaiting: boolean;
  /** What became of the last try. */
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

/** Each word must stand in what the app or one of its tools says of itself. */
export function findApps(apps: readonly ListedApp[], words: string): ListedApp[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return apps.filter((app) => {
    const text = [app.id, app.name, app.description, ...app.tools.flatMap((tool) => [tool.name, tool.description])].join("\n").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

const SHOWN_CALLS = 5;

/** The newest calls of an app's tools, the newest first. */
export function lastCallsOf(calls: readonly Call[], app: string): Call[] {
  return calls.filter(({ tool, target }) => tool === "apps_call" && target === app).slice(0, SHOWN_CALLS);
}

export function consentsFor(consents: readonly Consent[], app: string): Consent[] {
  return consents.filter((consent) => consent.app === app);
}
