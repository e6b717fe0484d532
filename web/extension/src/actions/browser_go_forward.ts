/** browser_go_forward: goes one page forward in the tab's history. */

import { define } from "../worker/action";
import { step, travel } from "../worker/arrival";
import { tabParam } from "../worker/element";
import { ownTab } from "../worker/tasks";

export const browserGoForward = define("browser_go_forward", tabParam, {
  async run(context, { tabId }) {
    await ownTab(context.taskId, tabId);
    return await travel(context, tabId, () => step(tabId, 1));
  },
});
