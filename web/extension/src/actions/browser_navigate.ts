/** browser_navigate: opens a page and returns once it can be read; the rest may still be loading. */

import { define } from "../worker/action";
import { checkPage, goTo, travel } from "../worker/arrival";
import { tabParam } from "../worker/element";
import { pageUrl } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserNavigate = define("browser_navigate", { ...tabParam, url: pageUrl }, {
  async run(context, { tabId, url }) {
    await ownTab(context.taskId, tabId);
    checkPage("browser_navigate", url);
    return await travel(context, tabId, () => goTo(tabId, url));
  },
});
