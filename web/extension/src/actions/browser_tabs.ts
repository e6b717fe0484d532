/** browser_tabs: lists the task's tabs, and no others. */

import { define } from "../worker/action";
import { wireTab } from "../worker/snapshot";
import { taskOf } from "../worker/tasks";

export const browserTabs = define("browser_tabs", {}, {
  async run({ taskId }) {
    const tabs = await Promise.all((taskOf(taskId)?.tabs ?? []).map((tabId) => chrome.tabs.get(tabId).catch(() => null)));
    return { tabs: tabs.filter((tab) => tab !== null).map(wireTab) };
  },
});
