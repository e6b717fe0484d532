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
  /** A person said that new tasks should get it, whenever it is there. */
  chosen: boolean;
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

/** Two browsers of the same kind are told apart by the end of their ids. */
export function distinctName(plugin: Plugin, all: readonly Plugin[]): string {
  const name = pluginName(plugin);
  const isShared = all.some((other) => other.clientId !== plugin.clientId && pluginName(other) === name);
  return isShared ? `${name} (…${plugin.clientId.slice(-6)})` : name;
}

/** Where a task could go on instead. */
export const elsewhere = (plugins: readonly Plugin[], clientId: string | undefined): Plugin[] =>
  inOrder(plugins).filter((plugin) => plugin.clientId !== clientId && healthOf(plugin) === "connected");

/** For lists with buttons: who is there keeps its place, whatever is chosen and whoever was heard of last. */
export function inRows(plugins: readonly Plugin[]): Plugin[] {
  const there = plugins.filter(({ socketConnected }) => socketConnected).sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
  return [...there, ...inOrder(plugins).filter(({ socketConnected }) => !socketConnected)];
}

/** The one that a person means new tasks to get, or else the one that they get. */
export function meantForNewTasks(plugins: readonly Plugin[]): Plugin | undefined {
  return plugins.find(({ chosen }) => chosen) ?? plugins.find(({ selected }) => selected);
}

/** Those who are there first; among these the selected one, then the last seen. */
export function inOrder(plugins: readonly Plugin[]): Plugin[] {
  const rank = (plugin: Plugin): number => (plugin.socketConnected ? 2 : 0) + (plugin.selected ? 1 : 0);
  return [...plugins].sort((a, b) => rank(b) - rank(a) || b.lastSeenAt - a.lastSeenAt);
}
