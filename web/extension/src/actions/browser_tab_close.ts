/** browser_tab_close: closes a tab of the task, even if the page asks to stay open. */

import { define } from "../worker/action";
import { tabParam } from "../worker/element";
import { ownTab } from "../worker/tasks";

export const browserTabClose = define("browser_tab_close", tabParam, {
  async run({ taskId, deadline }, { tabId }) {
    await ownTab(taskId, tabId);
    await deadline.within(chrome.tabs.remove(tabId));
    return { closed: true };
  },
});
