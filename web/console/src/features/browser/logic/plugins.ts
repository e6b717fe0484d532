/** The browser extensions that the server knows, and their health. */

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
  /** A person chose it for new tasks, whenever it is connected. */
  chosen: boolean;
  lastSeenAt: number;
}

export type Health = "connected" | "unwell" | "away";

export function healthOf({ socketConnected, healthy }: Plugin): Health {
  if (!socketConnected) return "away";
  return healthy ? "connected" : "unwell";
}

const KNOWN: Record<string, string> = { chrome: "Chrome", chromium: "Chromium", edge: "Edge", brave: "Brave", opera: "Opera" };

/** Several browsers call themselves Chrome in their user agent; their own name is more precise. */
export function pluginName({ ua, browserName: own, clientId }: Plugin): string {
  const claimedName = browserName(ua);
  const name = KNOWN[own.toLowerCase()] ?? own;
  if (claimedName === ua) return name || ua || clientId;
  return name && name !== "Chrome" ? claimedName.replace(/^Chrome\b/, name) : claimedName;
}

/** Two browsers of the same kind are distinguished by the end of their ids. */
export function distinctName(plugin: Plugin, all: readonly Plugin[]): string {
  const name = pluginName(plugin);
  const isShared = all.some((other) => other.clientId !== plugin.clientId && pluginName(other) === name);
  return isShared ? `${name} (…${plugin.clientId.slice(-6)})` : name;
}

/** Other browsers in which a task could continue. */
export const otherPlugins = (plugins: readonly Plugin[], clientId: string | undefined): Plugin[] =>
  inOrder(plugins).filter((plugin) => plugin.clientId !== clientId && healthOf(plugin) === "connected");

/** For lists with buttons: rows keep their place, whatever is selected or was seen last. */
export function inRows(plugins: readonly Plugin[]): Plugin[] {
  const there = plugins.filter(({ socketConnected }) => socketConnected).sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
  return [...there, ...inOrder(plugins).filter(({ socketConnected }) => !socketConnected)];
}

/** The browser chosen for new tasks, otherwise the one that they get. */
export function preferredPlugin(plugins: readonly Plugin[]): Plugin | undefined {
  return plugins.find(({ chosen }) => chosen) ?? plugins.find(({ selected }) => selected);
}

/** Connected ones first; among these the selected one, then the last seen. */
export function inOrder(plugins: readonly Plugin[]): Plugin[] {
  const rank = (plugin: Plugin): number => (plugin.socketConnected ? 2 : 0) + (plugin.selected ? 1 : 0);
  return [...plugins].sort((a, b) => rank(b) - rank(a) || b.lastSeenAt - a.lastSeenAt);
}
