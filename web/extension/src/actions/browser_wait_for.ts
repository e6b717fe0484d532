/** browser_wait_for: waits until a text appears or disappears, or until nothing has happened for a while. */

import { define } from "../worker/action";
import type { Deadline } from "../worker/deadline";
import { soon } from "../worker/deadline";
import { tabParam } from "../worker/element";
import { Failure } from "../worker/failure";
import { untilTab } from "../worker/navigation";
import { logOf } from "../worker/observation";
import { ask, askAll, PageGone, TOP } from "../worker/page";
import { filled, invalid, optional, whole } from "../worker/shape";
import { ownTab } from "../worker/tasks";

/** How long a page is asked at a time: it may navigate, or the text may appear in another frame. */
const ROUND_MS = 1000;

export const browserWaitFor = define("browser_wait_for", { ...tabParam, text: optional(filled), textGone: optional(filled), idleMs: optional(whole(1, 60_000)) }, {
  async run({ taskId, deadline }, { tabId, text, textGone, idleMs }) {
    await ownTab(taskId, tabId);
    if ([text, textGone, idleMs].filter((one) => one !== undefined).length !== 1) {
      throw invalid("browser_wait_for", [{ field: "text", message: "or textGone or idleMs has to be given, and only one of them" }]);
    }
    if (idleMs !== undefined) {
      await untilIdle(tabId, idleMs, deadline);
      return { met: "idle" };
    }
    const searchText = (text ?? textGone)!;
    const isGone = text === undefined;
    while (deadline.left() > 300) {
      await ownTab(taskId, tabId);
      const timeoutMs = Math.min(ROUND_MS, deadline.left() - 200);
      if (await onAnyFrame(tabId, searchText, isGone, timeoutMs)) return { met: isGone ? "textGone" : "text" };
    }
    throw new Failure("PLUGIN_TIMEOUT_EXEC", `The text ${JSON.stringify(searchText)} ${isGone ? "is still there" : "did not appear"}.`);
  },
});

async function onAnyFrame(tabId: number, text: string, isGone: boolean, timeoutMs: number): Promise<boolean> {
  try {
    const isHere = (await askAll(tabId, "hasText", { text })).some((one) => one.value);
    if (isHere !== isGone) return true;
    const met = await ask(tabId, TOP, "awaitText", { text, isGone, timeoutMs });
    if (!met || !isGone) return met;
    return !(await askAll(tabId, "hasText", { text })).some((one) => one.value);
  } catch (error) {
    if (!(error instanceof PageGone)) throw error;
    await untilTab(tabId, timeoutMs, async () => (await chrome.tabs.get(tabId)).status === "complete");
    return false;
  }
}

async function untilIdle(tabId: number, idleMs: number, deadline: Deadline): Promise<void> {
  const log = logOf(tabId);
  while (deadline.left() > 200) {
    const isLoaded = await untilTab(tabId, deadline.left() - 200, async () => (await chrome.tabs.get(tabId)).status === "complete");
    if (!isLoaded) break;
    const isQuiet = await ask(tabId, TOP, "awaitQuiet", { idleMs, timeoutMs: Math.max(1, deadline.left() - 200) }).catch((error: unknown) => {
      if (error instanceof PageGone) return false;
      throw error;
    });
    if (isQuiet && log.open === 0) return;
    if (log.open) await soon(log.nextEnd(), Math.max(1, deadline.left() - 200), undefined);
  }
  throw new Failure("PLUGIN_TIMEOUT_EXEC", `The page was never quiet for ${idleMs} ms.`);
}
