/** The browser extensions that the server knows of: who is there and who is well. */

import { browserName } from "./browsers";

export interface Plugin {
  clientId: string;
  extensionId: string;
  extensionName: string;
  ua: string;
  version: string;
  browserName: string;
  socketConnected: boolean;
  healthy: boolean;
  /** A new task would get this one. */
  selected: boolean;
  lastSeenAt: number;
}

export type Health = "connected" | "unwell" | "away";

export function healthOf({ socketConnected, healthy }: Plugin): Health {
  if (!socketConnected) return "away";
  return healthy ? "connected" : "unwell";
}

const KNOWN: Record<string, string> = { chrome: "Chrome", chromium: "Chromium", edge: "Edge", brave: "Brave", opera: "Opera" };

/** Several browsers call themselves Chrome in what they send; their own word for it knows better. */
export function pluginName({ ua, browserName: own, clientId }: Plugin): string {
  const said = browserName(ua);
  const known = KNOWN[own.toLowerCase()] ?? own;
  if (said === ua) return known || ua || clientId;
  return known && known !== "Chrome" ? said.replace(/^Chrome\b/, known) : said;
}

/** Those who are there first; among these the selected one, then the last seen. */
export function inOrder(plugins: readonly Plugin[]): Plugin[] {
  const rank = (plugin: Plugin): number => (plugin.socketConnected ? 2 : 0) + (plugin.selected ? 1 : 0);
  return [...plugins].sort((a, b) => rank(b) - rank(a) || b.lastSeenAt - a.lastSeenAt);
}
