import { useEffect, useState } from "preact/hooks";
import { tasks as conversations } from "../../browser/store";
import { agentLook } from "../../../logic/agents";
import { visible } from "../../../logic/visible";
import { goTo } from "../../../shell/address";
import { messageOf } from "../../../shell/failure";
import { project, projectName, projects } from "../../../shell/projects";
import { subject, texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Chunked } from "../../../ui/Chunked";
import { LoadMore } from "../../../ui/LoadMore";
import { Moment } from "../../../ui/Moment";
import { ServerFileLink } from "../../../ui/ServerFileLink";
import { Visible } from "../../../ui/Visible";
import { undoTask } from "../actions/calls";
import { readTasks, type TaskSummary } from "../actions/tasks";
import { calls } from "../store";
import { Replay } from "./Replay";
import { Timeline, useStory } from "./Timeline";

const ROW_HEIGHT = 76;
const WIDE = "(min-width: 901px)";
const REPLAY = "replay:";

/** As the address names one. */
export const keyOf = ({ task, caller }: { task?: string; caller: string }): string => (task === undefined ? `caller:${caller}` : `task:${task}`);

/** Every task of every project, and what happened in one of them. */
export function History() {
  const t = texts.value;
  const [listed, setListed] = useState<readonly TaskSummary[] | null>(null);
  const [next, setNext] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [words, setWords] = useState("");
  const newest = calls.value[0]?.seq;

  useEffect(() => {
    readTasks(project.value).then(({ tasks, next: older }) => { setListed(tasks); setNext(older); }, (failure: unknown) => setProblem(messageOf(failure)));
  }, [project.value, newest]);

  async function loadMore(): Promise<void> {
    const more = await readTasks(project.value, next);
    setListed([...(listed ?? []), ...more.tasks]);
    setNext(more.next);
  }

  const isReplay = subject.value.startsWith(REPLAY);
  const key = isReplay ? subject.value.slice(REPLAY.length) : subject.value;
  const wanted = words.trim().toLowerCase();
  const found = (listed ?? []).filter((one) => !wanted || `${titleOf(one)} ${one.caller} ${one.project}`.toLowerCase().includes(wanted));
  const open = key ? (listed?.find((one) => keyOf(one) === key) ?? namedBy(key)) : undefined;

  // Beside the list there is room for one: the newest, which then stays the shown one.
  useEffect(() => {
    const [first] = listed ?? [];
    if (!key && first && matchMedia(WIDE).matches) location.replace(`#/history/${encodeURIComponent(keyOf(first))}`);
  }, [listed, key]);
  return (
    <div class={`history-page ${key ? "with-task" : ""}`}>
      <section class="history-list" aria-label={t.pages.history}>
        <header><h1>{t.pages.history}</h1><input type="search" class="search" placeholder={t.search} aria-label={t.search} value={words} onInput={(event) => setWords(event.currentTarget.value)} /></header>
        {problem && <p class="problem" role="alert">{problem}</p>}
        <div class="history-tasks" data-scroller tabIndex={-1} role="list">
          <Chunked rows={found} rowHeight={ROW_HEIGHT} render={(one) => <TaskRow key={`${one.project} ${keyOf(one)}`} task={one} isOpen={open !== undefined && keyOf(one) === keyOf(open)} />} />
          {next !== undefined && !wanted && <LoadMore load={loadMore} />}
        </div>
        {found.length === 0 && (listed !== null || !problem) && <p class="nothing">{listed === null ? t.loading : wanted ? t.noMatches : t.noCalls}</p>}
      </section>
      {open && <TaskStory key={keyOf(open)} task={open} isReplay={isReplay} />}
    </div>
  );
}

/** One that is older than what was listed. */
function namedBy(key: string): TaskSummary {
  const [kind, ...rest] = key.split(":");
  const name = rest.join(":");
  return { project: "", caller: kind === "caller" ? name : "", ...(kind === "task" ? { task: name } : {}), first: "", last: "", calls: 0, changes: 0, failed: 0, running: 0 };
}

function titleOf({ task, caller, first }: TaskSummary): string {
  const title = task === undefined ? "" : conversations.value.find(({ taskId }) => taskId === task)?.title;
  if (title) return title;
  const [face = "", name = caller] = caller.split(":");
  if (face === "console" || face === "cli") return texts.value.ownActions;
  return caller ? texts.value.sessionOf(agentLook(name).name) : task || first;
}

function TaskRow({ task, isOpen }: { task: TaskSummary; isOpen: boolean }) {
  const t = texts.value;
  const several = projects.value.length > 1;
  return (
    <div class="history-task" role="listitem">
      <a href={`#/history/${encodeURIComponent(keyOf(task))}`} aria-current={isOpen ? "page" : undefined}>
        <b><Visible text={titleOf(task)} /></b>
        <span class="dim">{several && <>{visible(projectName(task.project))} · </>}{t.stepsAndChanges(task.calls, task.changes)}</span>
        <span class="faint"><Moment at={task.last} isShort />{task.failed > 0 && <> · <span class="bad">{t.failedCount(task.failed)}</span></>}</span>
      </a>
    </div>
  );
}

function TaskStory({ task, isReplay }: { task: TaskSummary; isReplay: boolean }) {
  const t = texts.value;
  const key = keyOf(task);
  const story = useStory(task.task === undefined ? { caller: task.caller } : { task: task.task });
  const oldest = story.calls.at(-1);
  const caller = task.caller || oldest?.caller || "";
  const [problem, setProblem] = useState("");
  const [isSure, setIsSure] = useState(false);
  const place = task.project || oldest?.project || "";

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
          <p class="faint">{caller && <Agent name={caller.split(":")[1] ?? caller} />} {place && <>· {visible(projectName(place))} </>}{oldest && <>· <Moment at={task.first || oldest.startedAt} isShort /></>}</p>
          <h1><Visible text={titleOf(task)} /></h1>
        </div>
        <div class="row">
          <button type="button" class="plain" aria-pressed={isReplay} onClick={() => goTo("history", isReplay ? key : `${REPLAY}${key}`)}>{isReplay ? t.timeline : t.replay}</button>
          {task.task !== undefined && conversations.value.some(({ taskId }) => taskId === task.task) && <a class="plain" href={`#/chat/${encodeURIComponent(task.task)}`}>{t.conversation}</a>}
          {task.task !== undefined && <button type="button" class="plain" onClick={() => setIsSure(true)}>{t.undoAll}</button>}
          {task.task !== undefined && <ServerFileLink class="plain" url={`/api/report/${encodeURIComponent(task.task)}${place ? `?project=${encodeURIComponent(place)}` : ""}`} name={`handrail-${task.task}.html`}>{t.downloadReport}</ServerFileLink>}
        </div>
      </header>
      {isSure && <div class="question" role="alertdialog" aria-label={t.undoAll}><p>{t.undoAllWarning}</p><p class="row"><button type="button" class="primary" onClick={undoAll}>{t.undoAll}</button><button type="button" class="bare" onClick={() => setIsSure(false)}>{t.keep}</button></p></div>}
      {problem && <p class="problem" role="alert">{problem}</p>}
      {isReplay ? <Replay story={story} /> : <Timeline story={story} />}
    </section>
  );
}
