import { useMemo, useState } from "preact/hooks";
import { tasks as conversations } from "../../browser/store";
import { waitingIn, WaitingStep } from "../../people/components/WaitingStep";
import { visible } from "../../../logic/visible";
import { goTo } from "../../../shell/address";
import { messageOf } from "../../../shell/failure";
import { projectName } from "../../../shell/projects";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Moment } from "../../../ui/Moment";
import { ServerFileLink } from "../../../ui/ServerFileLink";
import { Visible } from "../../../ui/Visible";
import { undoTask } from "../actions/calls";
import type { TaskSummary } from "../actions/tasks";
import { keyOf, REPLAY, titleOf } from "../logic/taskNames";
import { Progress, useTalk } from "./Progress";
import { Replay } from "./Replay";
import { Timeline, useStory } from "./Timeline";

/** One task: who, where, the progress of its plan, its cost, and every step. */
export function TaskStory({ task, isReplay }: { task: TaskSummary; isReplay: boolean }) {
  const t = texts.value;
  const key = keyOf(task);
  const of = task.task === undefined ? { caller: task.caller } : { task: task.task };
  const story = useStory(of);
  const talk = useTalk(task.task, story.calls.length);
  const exchanges = useMemo(() => new Map((talk?.entries ?? []).flatMap((entry) => (entry.tool ? [[entry.tool.executionId, entry] as const] : []))), [talk]);
  const oldest = story.calls.at(-1);
  const caller = task.caller || oldest?.caller || "";
  const [problem, setProblem] = useState("");
  const [isSure, setIsSure] = useState(false);
  const place = task.project || oldest?.project || "";
  const waiting = waitingIn(of);
  /** Of a task that is older than the list nothing is counted. */
  const hasChanges = task.changes > 0 || task.last === "";

  function undoAll(): void {
    setIsSure(false);
    setProblem("");
    if (task.task !== undefined) undoTask(task.task, place).catch((failure: unknown) => setProblem(messageOf(failure)));
  }

  return (
    <section class="story" data-scroller tabIndex={0} role="group" aria-label={visible(titleOf(task))}>
      <header class="story-head">
        <a class="bare to-list" href="#/history">‹ {t.pages.history}</a>
        <div class="story-title">
          <p class="faint">
            {caller && <Agent name={caller.split(":")[1] ?? caller} />} {place && <>· {visible(projectName(place))} </>}{oldest && <>· <Moment at={task.first || oldest.startedAt} isShort /> </>}
            {task.calls > 0 && <>· {t.stepsAndChanges(task.calls, task.changes)} </>}<Progress talk={talk} />
          </p>
          <h1><Visible text={titleOf(task)} /></h1>
        </div>
        <div class="row">
          <button type="button" class="plain" aria-pressed={isReplay} onClick={() => goTo("history", isReplay ? key : `${REPLAY}${key}`)}>{isReplay ? t.timeline : t.replay}</button>
          {task.task !== undefined && conversations.value.some(({ taskId }) => taskId === task.task) && <a class="plain" href={`#/chat/${encodeURIComponent(task.task)}`}>{t.conversation}</a>}
          {task.task !== undefined && hasChanges && <button type="button" class="plain" onClick={() => setIsSure(true)}>{t.undoAll}</button>}
          {task.task !== undefined && <ServerFileLink class="plain" url={`/api/report/${encodeURIComponent(task.task)}${place ? `?project=${encodeURIComponent(place)}` : ""}`} name={`handrail-${task.task}.html`}>{t.downloadReport}</ServerFileLink>}
        </div>
      </header>
      {isSure && <div class="question" role="alertdialog" aria-label={t.undoAll}><p>{t.undoAllWarning}</p><p class="row"><button type="button" class="primary" onClick={undoAll}>{t.undoAll}</button><button type="button" class="bare" onClick={() => setIsSure(false)}>{t.keep}</button></p></div>}
      {problem && <p class="problem" role="alert">{problem}</p>}
      {isReplay ? <Replay story={story} exchanges={exchanges} /> : <Timeline story={story}>{waiting.length > 0 && waiting.map((request) => <WaitingStep key={request.requestId} request={request} />)}</Timeline>}
    </section>
  );
}
