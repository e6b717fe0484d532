import { useEffect } from "preact/hooks";
import { Timeline, useStory } from "../../history/components/Timeline";
import { tasks } from "../../browser/store";
import { agentLook } from "../../../logic/agents";
import { visible } from "../../../logic/visible";
import { projectName, projects } from "../../../shell/projects";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { openPanel, showPrompt } from "../actions/panel";
import { titleOf } from "../actions/prompts";
import { cardOf } from "../logic/card";
import { isSettled, type Asked } from "../logic/queue";
import { isPanelOpen, queue } from "../store";
import { AnsweredList } from "./AnsweredList";
import { NotifyOffer } from "./NotifyOffer";

/** Everything that waits, from every project, the oldest first, beside the task that it belongs to. */
export function Inbox() {
  const t = texts.value;
  const { asked, order, shown } = queue.value;
  const pending = order.map((id) => asked.get(id)).filter((one): one is Asked => one !== undefined && !isSettled(one));
  const current = shown === null ? undefined : asked.get(shown);

  useEffect(() => {
    if (pending.length > 0) openPanel();
  }, []);

  return (
    <div class="inbox-page" data-scroller tabIndex={0} role="group" aria-label={t.pages.inbox}>
      {pending.length === 0 && (
        <header class="inbox-head">
          <h1>{t.pages.inbox}</h1>
          <p class="dim">{t.nothingWaiting} {t.nothingWaitingHint}</p>
        </header>
      )}
      {(pending.length > 1 || (pending.length > 0 && !isPanelOpen.value)) && (
        <section aria-label={t.waiting(pending.length)}>
          <h2 class="inbox-count">{t.waiting(pending.length)}</h2>
          <ul class="waiting-list">{pending.map((one) => <WaitingRow key={one.request.requestId} asked={one} isShown={isPanelOpen.value && one.request.requestId === shown} />)}</ul>
        </section>
      )}
      {current && !isSettled(current) && isPanelOpen.value && <TaskBeside key={current.request.requestId} asked={current} />}
      <NotifyOffer />
      <AnsweredList isOpen={pending.length === 0} />
    </div>
  );
}

function WaitingRow({ asked: { request }, isShown }: { asked: Asked; isShown: boolean }) {
  const card = cardOf(request);
  return (
    <li>
      <button type="button" class="waiting-row" aria-current={isShown || undefined} onClick={() => showPrompt(request.requestId)}>
        <b><bdi>{titleOf(request)}</bdi></b>
        <Moment at={request.ts} isShort />
        <span class="faint">{card ? <Visible text={agentLook(card.agent).name} /> : <Visible text={request.prompt.source ?? request.postedBy ?? ""} />}{card && projects.value.length > 1 && <> · {visible(projectName(card.project))}</>}</span>
      </button>
    </li>
  );
}

/** What the agent did before it asked: its task's timeline, with the question as the last step. */
function TaskBeside({ asked: { request } }: { asked: Asked }) {
  const card = cardOf(request);
  const of = request.runId !== undefined ? { task: request.runId } : card ? { caller: card.identity } : null;
  return of && <Beside of={of} title={titleOf(request)} request={request} />;
}

function Beside({ of, title, request }: { of: Parameters<typeof useStory>[0]; title: string; request: Asked["request"] }) {
  const t = texts.value;
  const story = useStory(of);
  const [first] = story.calls.slice(-1);
  const card = cardOf(request);
  const changes = story.calls.filter(({ effect, state }) => effect === "WRITE" && state === "done").length;
  const task = "task" in of ? tasks.value.find(({ taskId }) => taskId === of.task) : undefined;
  return (
    <section class="task-beside" aria-label={t.taskBeside}>
      <header class="story-title">
        <p class="faint">{card && <Agent name={card.agent} />} {first && <>· {t.startedAt} <Moment at={first.startedAt} isShort /></>}{changes > 0 && <> · {t.changesSoFar(changes)}</>}</p>
        {task?.title && <h1><Visible text={task.title} /></h1>}
      </header>
      <Timeline story={story}>
        <div class="step waiting-step" role="listitem">
          <span class="step-mark asks" aria-hidden="true">?</span>
          <div class="step-line"><span><b><bdi>{title}</bdi></b> <span class="dim">{t.waitingForYou}</span></span><Moment at={request.ts} isShort /></div>
        </div>
      </Timeline>
    </section>
  );
}
