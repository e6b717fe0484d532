/** browser_go_back: goes one page back in the tab's history. */

import { define } from "../worker/action";
import { step, travel } from "../worker/arrival";
import { tabParam } from "../worker/element";
import { ownTab } from "../worker/tasks";

export const browserGoBack = define("browser_go_back", tabParam, {
  async run(context, { tabId }) {
    await ownTab(context.taskId, tabId);
    return await travel(context, tabId, () => step(tabId, -1));
  },
});
