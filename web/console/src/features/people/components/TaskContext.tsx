import { tasks } from "../../browser/store";
import { Progress, useTalk } from "../../history/components/Progress";
import { Timeline, useStory } from "../../history/components/Timeline";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { cardOf } from "../logic/card";
import { isSettled, type QueuedPrompt } from "../logic/queue";
import { WaitingStep } from "./WaitingStep";

/** Effects that the history counts as changes. */
const CHANGES = ["WRITE", "UI_CONTROL", "EXECUTE"];

/** What the agent did before it asked: its task's timeline, with the question as the last step. */
export function TaskContext({ asked }: { asked: QueuedPrompt }) {
  const { request } = asked;
  const card = cardOf(request);
  const of = request.runId !== undefined ? { task: request.runId } : card ? { caller: card.identity } : null;
  return of && <Beside of={of} request={request} isOpen={!isSettled(asked)} />;
}

function Beside({ of, request, isOpen }: { of: Parameters<typeof useStory>[0]; request: QueuedPrompt["request"]; isOpen: boolean }) {
  const t = texts.value;
  const story = useStory(of);
  const [first] = story.calls.slice(-1);
  const card = cardOf(request);
  const changes = story.calls.filter(({ effect, state }) => effect !== undefined && CHANGES.includes(effect) && state === "done").length;
  const talk = useTalk("task" in of ? of.task : undefined, story.calls.length);
  const task = "task" in of ? tasks.value.find(({ taskId }) => taskId === of.task) : undefined;
  return (
    <section class="task-beside" aria-label={t.taskBeside}>
      <header class="story-title">
        <p class="faint">{card && <Agent name={card.agent} />}{first && <>{card && " · "}{t.startedAt} <Moment at={first.startedAt} isShort /></>}{changes > 0 && <> · {t.changesSoFar(changes)}</>} <Progress talk={talk} /></p>
        {task?.title && <h1><Visible text={task.title} /></h1>}
      </header>
      <Timeline story={story}>
        {isOpen && <WaitingStep request={request} />}
      </Timeline>
    </section>
  );
}
