import { chooseTask } from "../actions";
import { plugins, shownTask, tasks } from "../store";
import type { BrowserTask } from "../logic/browserTasks";
import { pluginName } from "../logic/plugins";
import { texts } from "../../../store";
import { focusBeside } from "../../../ui/focus";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";

/** The tasks, newest first. */
export function TaskList() {
  const t = texts.value.browser;
  return (
    <section class="task-list" aria-label={t.tasks}>
      <h2>{t.tasks}</h2>
      {tasks.value.length === 0 && <p class="nothing">{t.noTasks} <span class="sub">{t.noTasksHint}</span></p>}
      <ul class="browser-tasks" onKeyDown={(event) => focusBeside(event, "button")}>
        {tasks.value.map((task) => <li key={task.taskId}><TaskRow task={task} /></li>)}
      </ul>
    </section>
  );
}

function TaskRow({ task }: { task: BrowserTask }) {
  const t = texts.value.browser;
  const browser = plugins.value.find(({ clientId }) => clientId === task.selectedClientId);
  const isShown = shownTask.value?.taskId === task.taskId;
  return (
    <button type="button" class="browser-task" aria-pressed={isShown} onClick={() => chooseTask(task.taskId)}>
      <span class="browser-task-title"><Visible text={task.title || t.untitledTask} /></span>
      <span class="sub">
        <i class={`dot status-${task.status}`} aria-hidden="true" />
        {t.statuses[task.status]} · <Moment at={task.updatedAt} isShort />
      </span>
      <span class="sub">{browser ? <Visible text={pluginName(browser)} /> : task.selectedClientId ? <Visible text={task.selectedClientId} /> : t.noBrowserYet}</span>
    </button>
  );
}
