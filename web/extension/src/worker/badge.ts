/** Shows in each of a task's pages, and on the toolbar, that an agent is working. */

import { ask, TOP } from "./page";
import { allTasks, taskOfTab } from "./tasks";

const texts = (isRead = false) => ({
  working: chrome.i18n.getMessage("badgeWorking"),
  paused: chrome.i18n.getMessage(isRead ? "badgeRead" : "badgePaused"),
  stop: chrome.i18n.getMessage("stop"),
});

/** Pages that can't be scripted have no frame; nothing else depends on it. */
export async function showBadge(tabId: number): Promise<void> {
  const task = taskOfTab(tabId);
  const state = task ? (task.status === "takeover" ? "paused" : "working") : "none";
  await ask(tabId, TOP, "badge", { state, texts: texts(task?.isRead) }).catch(() => undefined);
}

export async function withoutBadge<T>(tabId: number, work: () => Promise<T>): Promise<T> {
  await ask(tabId, TOP, "hideBadge", { isHidden: true }).catch(() => undefined);
  try {
    return await work();
  } finally {
    void ask(tabId, TOP, "hideBadge", { isHidden: false }).catch(() => undefined);
  }
}

export async function refreshToolbar(isConnected: boolean, isPaired: boolean, isAsking: boolean): Promise<void> {
  const running = allTasks().filter((task) => task.tabs.length).length;
  const text = isAsking ? "?" : isPaired && !isConnected ? "!" : running ? String(running) : "";
  await chrome.action.setBadgeText({ text });
  await chrome.action.setBadgeBackgroundColor({ color: isAsking ? "#7450a8" : isPaired && !isConnected ? "#ab362a" : "#a05a08" });
}
