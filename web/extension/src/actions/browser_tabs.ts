/** browser_tabs: the tabs of the task, and no others. */

import { define } from "../worker/action";
import { wireTab } from "../worker/snapshot";
import { taskOf } from "../worker/tasks";

export const browserTabs = define("browser_tabs", {}, {
  async run({ taskId }) {
    const found = await Promise.all((taskOf(taskId)?.tabs ?? []).map((tabId) => chrome.tabs.get(tabId).catch(() => null)));
    return { tabs: found.filter((tab) => tab !== null).map(wireTab) };
  },
});
