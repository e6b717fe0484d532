import { useEffect, useState } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { project, projectName, projects } from "../../../shell/projects";
import { subject, texts } from "../../../store";
import { Chunked } from "../../../ui/Chunked";
import { LoadMore } from "../../../ui/LoadMore";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { readTasks, type TaskSummary } from "../actions/tasks";
import { isOwn, keyOf, REPLAY, titleOf } from "../logic/taskNames";
import { calls } from "../store";
import { TaskStory } from "./TaskStory";

const ROW_HEIGHT = 76;
/** What a person or a rule stopped is in order; the others may need attention. */
const NOT_DONE = [["failed", "bad"], ["unknown", "bad"], ["denied", ""], ["unanswered", ""]] as const;
const WIDE = "(min-width: 901px)";

/** Every task of every project, and the timeline of one of them. */
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
  const query = words.trim().toLowerCase();
  const matches = (listed ?? []).filter((one) => !query || `${titleOf(one)} ${one.caller} ${one.project}`.toLowerCase().includes(query));
  const open = key ? (listed?.find((one) => keyOf(one) === key) ?? namedBy(key)) : undefined;

  // Beside the list there is room for one task: an agent's newest, which then stays selected.
  useEffect(() => {
    const first = listed?.find((one) => !isOwn(one) || one.changes > 0) ?? listed?.[0];
    if (!key && first && matchMedia(WIDE).matches) location.replace(`#/history/${encodeURIComponent(keyOf(first))}`);
  }, [listed, key]);
  return (
    <div class={`history-page ${key ? "with-task" : ""}`}>
      <section class="history-list" aria-label={t.pages.history}>
        <header><h1>{t.pages.history}</h1><input type="search" class="search" placeholder={t.search} aria-label={t.search} value={words} onInput={(event) => setWords(event.currentTarget.value)} /></header>
        {problem && <p class="problem" role="alert">{problem}</p>}
        <div class="history-tasks" data-scroller tabIndex={-1} role="list">
          <Chunked rows={matches} rowHeight={ROW_HEIGHT} render={(one) => <TaskRow key={`${one.project} ${keyOf(one)}`} task={one} isOpen={open !== undefined && keyOf(one) === keyOf(open)} />} />
          {next !== undefined && !query && <LoadMore load={loadMore} />}
        </div>
        {matches.length === 0 && (listed !== null || !problem) && <p class="nothing">{listed === null ? t.loading : query ? t.noMatches : t.noCalls}</p>}
      </section>
      {open && <TaskStory key={keyOf(open)} task={open} isReplay={isReplay} />}
    </div>
  );
}

/** A task that is older than those in the list. */
function namedBy(key: string): TaskSummary {
  const [kind, ...rest] = key.split(":");
  const name = rest.join(":");
  return { project: "", caller: kind === "caller" ? name : "", ...(kind === "task" ? { task: name } : {}), first: "", last: "", calls: 0, changes: 0, failed: 0, denied: 0, unanswered: 0, unknown: 0, running: 0 };
}

function TaskRow({ task, isOpen }: { task: TaskSummary; isOpen: boolean }) {
  const t = texts.value;
  const several = projects.value.length > 1;
  return (
    <div class="history-task" role="listitem">
      <a href={`#/history/${encodeURIComponent(keyOf(task))}`} aria-current={isOpen ? "page" : undefined}>
        <b><Visible text={titleOf(task)} /></b>
        <span class="dim">{several && <>{visible(projectName(task.project))} · </>}{task.calls === 0 && task.running > 0 ? t.states.running : t.stepsAndChanges(task.calls, task.changes)}</span>
        <span class="faint"><Moment at={task.last} isShort />{NOT_DONE.map(([name, look]) => task[name] > 0 && <span key={name}> · <span class={look}>{t.notDone[name](task[name])}</span></span>)}</span>
      </a>
    </div>
  );
}
