/** Pages that a person's rules deny: Chrome itself blocks the task's tabs before they request one. */

import { Failure } from "./failure";
import { allTasks, onTasksChanged, saveTasks, type Task, taskOfTab } from "./tasks";

/** Other rules use the numbers below; each expression of each task takes one rule. */
const FIRST = 1000;
const MOST = 900;
const KINDS = ["main_frame", "sub_frame", "object"] as chrome.declarativeNetRequest.ResourceType[];

let built = "";
let building: Promise<void> = Promise.resolve();

export function watchDenied(): void {
  onTasksChanged(() => void blockDenied());
}

/** What the server sends with an action applies from then on, also between actions. */
export async function learnDenied(task: Task | undefined, value: unknown): Promise<void> {
  const denied = Array.isArray(value) ? value.filter((one): one is string => typeof one === "string" && isExpression(one)) : [];
  if (!task || JSON.stringify(task.denied ?? []) === JSON.stringify(denied)) return;
  task.denied = denied;
  await saveTasks();
  await blockDenied();
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text, "i") !== null;
  } catch {
    return false;
  }
}

export function isDenied(tabId: number, url: string | undefined): boolean {
  return (taskOfTab(tabId)?.denied ?? []).some((one) => new RegExp(one, "i").test(url ?? ""));
}

/** Frames of a denied page, or inside one: their text is not reported, and nothing in them is used. */
export async function deniedFrames(tabId: number): Promise<Set<number>> {
  const ids = new Set<number>();
  if (!taskOfTab(tabId)?.denied?.length) return ids;
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  const parents = new Map(frames.map((one) => [one.frameId, one.parentFrameId]));
  const denied = new Set(frames.filter((one) => isDenied(tabId, one.url)).map((one) => one.frameId));
  for (const { frameId } of frames) {
    for (let at: number | undefined = frameId; at !== undefined && at > 0; at = parents.get(at)) if (denied.has(at)) ids.add(frameId);
  }
  return ids;
}

export async function refuseDenied(tabId: number, frameId: number): Promise<void> {
  if ((await deniedFrames(tabId)).has(frameId)) throw new Failure("FORBIDDEN", "This frame shows a page that a rule denies.", { hint: "Work on the rest of the page." });
}

/** Resolves once Chrome blocks what the rules deny. */
export function blockDenied(): Promise<void> {
  building = building.then(build).catch(() => undefined);
  return building;
}

async function build(): Promise<void> {
  const conditions = allTasks().flatMap(({ denied = [], tabs }) => (tabs.length ? denied.map((regexFilter) => ({ regexFilter, tabIds: [...tabs] })) : [])).slice(0, MOST);
  if (JSON.stringify(conditions) === built) return;
  const before = (await chrome.declarativeNetRequest.getSessionRules()).filter((rule) => rule.id >= FIRST).map((rule) => rule.id);
  const type = "block" as chrome.declarativeNetRequest.RuleActionType;
  const rules = conditions.map((condition, at) => ({ id: FIRST + at, action: { type }, condition: { ...condition, resourceTypes: KINDS } }));
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: before, addRules: rules });
  built = JSON.stringify(conditions);
}
