/** task_start: gives the task a separate tab in a separate group. */

import { define } from "../worker/action";
import { checkPage, goTo, travel } from "../worker/arrival";
import { learnDenied } from "../worker/denied_pages";
import { COLORS } from "../worker/groups";
import { fallback, filled, flag, oneOf, optional, pageUrl } from "../worker/shape";
import { adoptTab, existingTab, newTab, taskFor } from "../worker/task_start";
import { putTask } from "../worker/tasks";

export const taskStart = define("task_start", { url: optional(pageUrl), reuseExistingTab: fallback(flag, false), groupTitle: optional(filled), groupColor: optional(oneOf(...COLORS)) }, {
  async run(context, { url, reuseExistingTab, groupTitle, groupColor }) {
    if (url !== undefined) checkPage("task_start", url);
    const task = taskFor(context.taskId);
    if (groupTitle) task.title = groupTitle;
    if (groupColor) task.color = groupColor;
    await putTask(task);
    await learnDenied(task, context.message.deniedPages);
    const tab = (reuseExistingTab ? await existingTab(task, url) : undefined) ?? (await newTab());
    const tabId = tab.id!;
    await adoptTab(task, tabId);
    if (url !== undefined && tab.url !== url) await travel(context, tabId, () => goTo(tabId, url));
    const now = await chrome.tabs.get(tabId);
    return {
      tabId,
      windowId: now.windowId,
      ...(task.groupId === undefined ? {} : { groupId: task.groupId }),
      url: now.url || now.pendingUrl || "",
      ...(now.title ? { title: now.title } : {}),
    };
  },
});
