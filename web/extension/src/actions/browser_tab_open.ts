/** browser_tab_open: opens another tab for the task. */

import { define } from "../worker/action";
import { checkPage, goTo, travel } from "../worker/arrival";
import { learnDenied } from "../worker/denied_pages";
import { optional, pageUrl } from "../worker/shape";
import { adoptTab, newTab, taskFor } from "../worker/task_start";
import { putTask } from "../worker/tasks";

export const browserTabOpen = define("browser_tab_open", { url: optional(pageUrl) }, {
  async run(context, { url }) {
    if (url !== undefined) checkPage("browser_tab_open", url);
    const task = taskFor(context.taskId);
    await putTask(task);
    await learnDenied(task, context.message.deniedPages);
    const { id: tabId, windowId } = await newTab();
    await adoptTab(task, tabId!);
    if (url !== undefined) await travel(context, tabId!, () => goTo(tabId!, url));
    return { tabId, windowId, url: (await chrome.tabs.get(tabId!)).url || url || "about:blank" };
  },
});
