/** browser_reload: loads the page again. */

import { define } from "../worker/action";
import { reload, travel } from "../worker/arrival";
import { tabParam } from "../worker/element";
import { ownTab } from "../worker/tasks";

export const browserReload = define("browser_reload", tabParam, {
  async run(context, { tabId }) {
    await ownTab(context.taskId, tabId);
    return await travel(context, tabId, () => reload(tabId));
  },
});
