/** task_stop: releases the task's tabs, and closes them if asked to. */

import { define } from "../worker/action";
import { fallback, flag } from "../worker/shape";
import { endTask } from "../worker/task_start";
import { taskOf } from "../worker/tasks";

export const taskStop = define("task_stop", { closeTab: fallback(flag, false) }, {
  async run({ taskId }, { closeTab }) {
    const task = taskOf(taskId);
    if (task) await endTask(task, closeTab);
    return { stopped: true };
  },
});
