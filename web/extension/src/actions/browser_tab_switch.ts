/** browser_tab_switch: brings a tab of the task to the front of its window. */

import { define } from "../worker/action";
import { tabParam } from "../worker/element";
import { ownTab } from "../worker/tasks";

export const browserTabSwitch = define("browser_tab_switch", tabParam, {
  async run({ taskId }, { tabId }) {
    await ownTab(taskId, tabId);
    await chrome.tabs.update(tabId, { active: true });
    return { switched: true, tabId };
  },
});
