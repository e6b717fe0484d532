/** task_group_update: changes the name or colour of the task's tab group. */

import { define } from "../worker/action";
import { Failure } from "../worker/failure";
import { COLORS, groupTabs, labelGroup } from "../worker/groups";
import { filled, invalid, oneOf, optional } from "../worker/shape";
import { putTask, taskOf } from "../worker/tasks";

export const taskGroupUpdate = define("task_group_update", { color: optional(oneOf(...COLORS)), title: optional(filled) }, {
  async run({ taskId }, { color, title }) {
    if (color === undefined && title === undefined) throw invalid("task_group_update", [{ field: "title", message: "or color is missing" }]);
    const task = taskOf(taskId);
    if (!task) throw new Failure("INVALID_TASK_TAB", "This task has no tabs.", { hint: "Begin with task_start." });
    if (title) task.title = title;
    if (color) task.color = color;
    await putTask(task);
    // A person may have dissolved the group.
    if (!(await labelGroup(task))) await groupTabs(task, task.tabs);
    return { updated: true };
  },
});
