import { useEffect, useState } from "preact/hooks";
import { handBack, look, stopTask, takeOver, watchLive } from "../actions";
import { plugins, shownTask, lastView, snapshots } from "../store";
import { messageOf } from "../../../shell/failure";
import { canHandBack, canLook, canStop, canTakeOver, type BrowserTask } from "../logic/browserTasks";
import { hasPicture } from "../logic/pageView";
import { tabOf } from "../logic/windows";
import { prefer, preferences } from "../../../preferences";
import { texts } from "../../../store";
import { Visible } from "../../../ui/Visible";
import { TaskPicture } from "./TaskPicture";
import { TakenOver } from "./TakenOver";
import { TaskBrowser } from "./TaskBrowser";

/** One task: its controls and its last picture. */
export function TaskView() {
  const task = shownTask.value;
  return task ? <Shown key={task.taskId} task={task} /> : null;
}

function Shown({ task }: { task: BrowserTask }) {
  const t = texts.value.browser;
  const [isBusy, setIsBusy] = useState(false);
  const [isLooking, setIsLooking] = useState(false);
  const [problem, setProblem] = useState("");
  const { taskId, status } = task;
  const browser = plugins.value.find(({ clientId }) => clientId === task.selectedClientId);
  const tab = browser?.socketConnected ? tabOf(snapshots.value.of.get(browser.clientId), taskId) : undefined;

  async function during(work: Promise<void>, set: (is: boolean) => void): Promise<void> {
    set(true);
    setProblem("");
    await work.catch((failure: unknown) => setProblem(messageOf(failure)));
    set(false);
  }
  const act = (work: (id: string) => Promise<void>) => (): void => void during(work(taskId), setIsBusy);

  // Pictures are taken only while the page is open.
  useEffect(() => watchLive(() => tab?.tabId), [tab?.tabId]);

  const seen = lastView.value;
  return (
    <section class="card task-view" aria-label={t.picture}>
      <header class="task-view-head">
        <h2><Visible text={task.title || t.untitledTask} /></h2>
        <span class="sub" role="status"><i class={`dot status-${status}`} aria-hidden="true" />{t.statuses[status]}</span>
        <p class="row">
          {canStop(task) && <label class="check"><input type="checkbox" checked={preferences.value.isLive} onChange={(event) => prefer({ isLive: event.currentTarget.checked })} />{t.live}</label>}
          {tab && canLook(task) && (
            <button type="button" class="plain" disabled={isLooking} onClick={() => void during(look(taskId, tab.tabId), setIsLooking)}>{isLooking ? t.looking : t.look}</button>
          )}
          {canTakeOver(task) && <button type="button" class="plain" disabled={isBusy} onClick={act(takeOver)}>{t.takeOver}</button>}
          {canHandBack(task) && <button type="button" class="primary" disabled={isBusy} onClick={act(handBack)}>{t.handBack}</button>}
          {canStop(task) && <button type="button" class="plain" disabled={isBusy} onClick={act(stopTask)}>{t.stop}</button>}
        </p>
      </header>
      <TakenOver task={task} act={(work) => void during(work, setIsBusy)} />
      <TaskBrowser task={task} />
      {problem && <p class="problem" role="alert">{problem}</p>}
      {hasPicture(seen) ? <TaskPicture key={seen.artifactId} picture={seen} /> : seen && <p class="nothing">{t.noPicture}{texts.value.betweenSentences}{tab && canLook(task) ? t.lookHint : t.noPictureHint}</p>}
    </section>
  );
}
