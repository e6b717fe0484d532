import { useEffect, useState } from "preact/hooks";
import { loadOlderTasks } from "../../browser/actions";
import { olderThan, tasks } from "../../browser/store";
import { archive, findTasks } from "../actions/steering";
import { askingTasks, chatTexts, openTask } from "../store";
import { messageOf } from "../../../shell/failure";
import type { BrowserTask } from "../../browser/logic/browserTasks";
import { matches } from "../logic/chat";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Chunked } from "../../../ui/Chunked";
import { focusBeside } from "../../../ui/focus";
import { Icon } from "../../../ui/Icon";
import { LoadMore } from "../../../ui/LoadMore";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";

/** The list of tasks, with search and archive. */
export function TaskRail() {
  const t = chatTexts.value;
  const [words, setWords] = useState("");
  const [showsArchived, setShowsArchived] = useState(false);
  const [problem, setProblem] = useState("");
  const all = tasks.value;
  const archivedCount = all.filter(({ archived }) => archived).length;
  const matchingIds = useTaskSearch(words.trim(), setProblem);
  const shown = all.filter((task) => Boolean(task.archived) === showsArchived && (matches(task.title || t.untitled, words) || matchingIds.has(task.taskId)));

  const putAway = (task: BrowserTask): void => {
    setProblem("");
    archive(task.taskId, !task.archived).catch((failure: unknown) => setProblem(messageOf(failure)));
  };

  return (
    <section class="task-rail" aria-label={t.tasks}>
      <header class="task-rail-head">
        <h2>{t.tasks}</h2>
        <a class="plain new-task" href="#/chat" title={t.newTaskHint}><Icon name="plus" />{t.newTask}</a>
        <input type="search" placeholder={t.search} aria-label={t.search} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </header>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div class="rail-tasks" role="list" data-scroller tabIndex={-1} onKeyDown={(event) => focusBeside(event, ".rail-task-link")}>
        <Chunked rows={shown} rowHeight={ROW_HEIGHT} render={(task) => <TaskRow key={task.taskId} task={task} putAway={() => putAway(task)} />} />
        {olderThan.value !== undefined && !words && <LoadMore load={loadOlderTasks} />}
      </div>
      {shown.length === 0 && <p class="nothing">{all.length ? texts.value.noMatches : t.noTasks}</p>}
      {(archivedCount > 0 || showsArchived) && (
        <label class="check rail-archived"><input type="checkbox" checked={showsArchived} onChange={(event) => setShowsArchived(event.currentTarget.checked)} />{t.showArchived(archivedCount)}</label>
      )}
    </section>
  );
}

const ROW_HEIGHT = 63;
const TYPING_MS = 200;
const NONE: ReadonlySet<string> = new Set();

/** What the server finds in messages and in tasks that weren't loaded, once the person has stopped typing. */
function useTaskSearch(words: string, fail: (problem: string) => void): ReadonlySet<string> {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    setFound(NONE);
    if (!words) return;
    let isMeant = true;
    const looking = setTimeout(() => {
      findTasks(words).then((ids) => isMeant && setFound(ids), (failure: unknown) => isMeant && fail(messageOf(failure)));
    }, TYPING_MS);
    return () => {
      isMeant = false;
      clearTimeout(looking);
    };
  }, [words]);
  return found;
}

function TaskRow({ task, putAway }: { task: BrowserTask; putAway: () => void }) {
  const t = chatTexts.value;
  const isAsking = askingTasks.value.has(task.taskId);
  const title = task.title || t.untitled;
  const label = task.archived ? t.unarchive : t.archive;
  return (
    <div class="rail-task" role="listitem">
      <a class="rail-task-link" href={`#/chat/${task.taskId}`} aria-current={task.taskId === openTask.value ? "page" : undefined}>
        <span class="rail-task-title"><Visible text={title} /></span>
        <span class="sub">
          <i class={`dot ${isAsking ? "asking" : `status-${task.status}`}`} aria-hidden="true" />
          {isAsking ? t.waitsForYou : texts.value.browser.statuses[task.status]} · <Moment at={task.updatedAt} isShort />
        </span>
      </a>
      <button type="button" class="icon-button" aria-label={`${label}: ${visible(title)}`} title={label} onClick={putAway}><Icon name="archive" /></button>
    </div>
  );
}
