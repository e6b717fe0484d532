import type { RequestEntry, Task, TaskConfirmPrompt } from "@handrail/host";
import { useContext, useRef, useState } from "preact/hooks";
import { announcement, texts } from "../../../store";
import { errorsBelow } from "../../../shell/failure";
import { checkTasks, initialTasks, moveTask, newTask } from "../logic/answers";
import { AnswerForm, InPlace } from "./AnswerForm";
import { Markdown } from "../../../ui/Markdown";
import { TaskCard } from "./TaskCard";

const TASK_FIELD = /^tasks\.\d+\./;

/** Errors of a tag are shown at the tags, errors of the draft's own id at its title. */
function fieldsOf(errors: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...errors].map(([field, message]) => [field.split(".")[0]?.replace("draftId", "title") ?? "title", message]));
}

export function TaskForm({ request, prompt, isShown }: { request: RequestEntry; prompt: TaskConfirmPrompt; isShown: boolean }) {
  const t = texts.value;
  const list = useRef<HTMLOListElement>(null);
  // In a conversation, a plan follows the reply that it was made from.
  const isTold = useContext(InPlace)?.isTold(prompt.message ?? "") ?? false;
  const [tasks, setTasks] = useState(() => initialTasks(prompt));
  const [remark, setRemark] = useState(prompt.defaultRemark ?? "");
  const [hasTried, setHasTried] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const [refused, setRefused] = useState<ReadonlyMap<string, ReadonlyMap<string, string>>>(new Map());
  const untitled = hasTried ? checkTasks(tasks) : new Map<string, never>();
  const problemsOf = ({ draftId }: Task): ReadonlyMap<string, string> =>
    untitled.has(draftId) ? new Map([["title", t.problems.taskTitle]]) : (refused.get(draftId) ?? new Map());

  const focusTask = (draftId: string, part: string): void =>
    void requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(draftId)}"] ${part}`)?.focus());
  const change = (at: number, changed: Task): void => {
    setTasks(tasks.map((task, index) => (index === at ? changed : task)));
    setRefused(new Map([...refused].filter(([draftId]) => draftId !== changed.draftId)));
  };
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= tasks.length) return;
    setTasks(moveTask(tasks, from, to));
    announcement.value = t.moved(to + 1, tasks.length);
    // The focus moves with the card, so that it can be moved further.
    focusTask(tasks[from]?.draftId ?? "", ".grip");
  };
  const remove = (at: number): void => {
    const rest = tasks.filter((_, index) => index !== at);
    setTasks(rest);
    const beside = rest[Math.min(at, rest.length - 1)];
    if (beside) focusTask(beside.draftId, ".line");
  };
  const add = (): void => {
    const task = newTask();
    setTasks([...tasks, task]);
    focusTask(task.draftId, ".line");
  };

  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={t.confirmTasks}
      no={t.cancel}
      remark={{ value: remark, set: setRemark }}
      message={isTold ? "" : prompt.message && <Markdown text={prompt.message} />}
      onFieldErrors={(errors) => {
        const about = tasks.map((task, at) => [task.draftId, fieldsOf(errorsBelow(errors, `tasks.${at}`))] as const);
        setRefused(new Map(about));
        return [...errors.keys()].filter((field) => TASK_FIELD.test(field));
      }}
      collect={() => {
        setHasTried(true);
        return checkTasks(tasks).size ? null : { status: "ok", tasks };
      }}
    >
      <ol class="tasks" ref={list} aria-label={t.tasks}>
        {tasks.map((task, at) => (
          <TaskCard
            key={task.draftId}
            task={task}
            at={at}
            total={tasks.length}
            problems={problemsOf(task)}
            isDragged={dragged === at}
            onChange={(changed) => change(at, changed)}
            onMove={(to) => move(at, to)}
            onRemove={() => remove(at)}
            onDragStart={() => setDragged(at)}
            onDragOver={() => {
              if (dragged === null || dragged === at) return;
              setTasks(moveTask(tasks, dragged, at));
              setDragged(at);
            }}
            onDragEnd={() => setDragged(null)}
          />
        ))}
      </ol>
      <button type="button" class="plain add-task" onClick={add}>
        + {t.addTask}
      </button>
    </AnswerForm>
  );
}
