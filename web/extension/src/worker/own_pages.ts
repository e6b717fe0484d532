/**
 * handrail's own pages: no task may open, read or use them, because pressing a button there means answering in a
 * person's name. Chrome itself blocks every request of a task's tabs to them, so none is loaded, however a page leads
 * there.
 */

import { Failure } from "./failure";
import { pairing } from "./settings";
import { allTasks, onTasksChanged, taskOfTab, tasksLoaded } from "./tasks";

const RULE_ID = 1;
const HOSTS = "(localhost|[^/:@]+\\.localhost|127\\.[0-9.]+|0\\.0\\.0\\.0|\\[::1?\\]|\\[::ffff:(7f[0-9a-f]{2}|0):[0-9a-f]+\\])";
const HOST = new RegExp(`^${HOSTS}\\.?$`);
const DEFAULT_PORTS: Record<string, number> = { "http:": 80, "https:": 443 };

let ports = new Set<number>();
let built = "";
let building: Promise<void> = Promise.resolve();

export const portsLoaded = load();

async function load(): Promise<void> {
  const stored = await chrome.storage.session.get<{ ownPorts?: number[] }>("ownPorts");
  ports = new Set([...(stored.ownPorts ?? []), ...ports, ...(await pairedPort())]);
}

async function pairedPort(): Promise<number[]> {
  const credentials = await pairing();
  return credentials ? [portOf(new URL(credentials.server))] : [];
}

const portOf = (url: URL): number => (url.port ? Number(url.port) : (DEFAULT_PORTS[url.protocol] ?? 0));

/** With each action, the server lists its own ports and those of every other handrail on this machine. */
export async function learnOwnPorts(value: unknown): Promise<void> {
  await portsLoaded;
  const numbers = Array.isArray(value) ? value.filter((one): one is number => Number.isInteger(one)) : [];
  const next = new Set([...numbers, ...(await pairedPort())]);
  if (next.size === ports.size && [...next].every((port) => ports.has(port))) return;
  ports = next;
  await chrome.storage.session.set({ ownPorts: [...ports] });
  await blockOwnPages();
}

export function isOwnPage(url: string | undefined): boolean {
  const page = /^(?:blob:|view-source:)*(.*)$/s.exec(url ?? "")![1]!;
  if (page.startsWith(`chrome-extension://${chrome.runtime.id}/`)) return true;
  if (!URL.canParse(page)) return false;
  const parsed = new URL(page);
  return parsed.protocol in DEFAULT_PORTS && HOST.test(parsed.hostname) && ports.has(portOf(parsed));
}

/** The document in a tab and how many frames it has, as far as Chrome reports it. */
export interface TabDocument { url?: string; documentId?: string; frames: number }

/** Refuses handrail's own pages. Every frame counts, because a click may land in any of them. */
export async function requireForeignPage(tabId: number): Promise<TabDocument> {
  await portsLoaded;
  const [tab, frames] = await Promise.all([chrome.tabs.get(tabId).catch(() => null), chrome.webNavigation.getAllFrames({ tabId }).catch(() => null)]);
  if ([tab?.url, tab?.pendingUrl, ...(frames ?? []).map((frame) => frame.url)].some(isOwnPage)) throw ownPage();
  const top = frames?.find((frame) => frame.frameId === 0);
  return { ...(top ? { url: top.url, documentId: top.documentId } : {}), frames: frames?.length ?? Number.POSITIVE_INFINITY };
}

export function refuseOwnAddress(url: string | undefined): void {
  if (isOwnPage(url)) throw ownPage();
}

const ownPage = (): Failure => new Failure("CDP_PERMISSION_DENIED", "This page is handrail's own: it is for people, never for a tool.", { own: true, hint: "Ask the person to look there." });

export function watchOwnPages(): void {
  onTasksChanged(() => void blockOwnPages());
  // Requests that started before the block was active.
  chrome.webNavigation.onCommitted.addListener(({ tabId, frameId, url }) => {
    if (frameId === 0) void tasksLoaded.then(() => (taskOfTab(tabId) ? leaveOwnPage(tabId, url) : undefined));
  });
}

/** True for a page of ours, which is closed: left open, a page of the task could return to it. */
export async function leaveOwnPage(tabId: number, url: string | undefined): Promise<boolean> {
  await portsLoaded;
  if (!isOwnPage(url)) return false;
  await chrome.tabs.remove(tabId).catch(() => undefined);
  return true;
}

/** Resolves once Chrome blocks requests of the tasks' tabs to handrail. */
export function blockOwnPages(): Promise<void> {
  building = building.then(build).catch(() => undefined);
  return building;
}

async function build(): Promise<void> {
  await portsLoaded;
  const tabIds = allTasks().flatMap((task) => task.tabs).sort((one, other) => one - other);
  const wallKey = JSON.stringify([tabIds, [...ports].sort()]);
  if (wallKey === built) return;
  const rule = { id: RULE_ID, action: { type: "block" as chrome.declarativeNetRequest.RuleActionType }, condition: { tabIds, regexFilter: addresses(), resourceTypes: KINDS } };
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [RULE_ID], addRules: tabIds.length && ports.size ? [rule] : [] });
  built = wallKey;
}

const KINDS = ["main_frame", "sub_frame", "stylesheet", "script", "image", "font", "object", "xmlhttprequest", "ping", "csp_report", "media", "websocket", "webtransport", "webbundle", "other"] as chrome.declarativeNetRequest.ResourceType[];

function addresses(): string {
  const portPattern = `:(${[...ports].join("|")})`;
  return `^(https?|wss?)://${HOSTS}\\.?${ports.has(80) || ports.has(443) ? `(${portPattern})?` : portPattern}/`;
}
