import type { Task, TaskPriority, TaskStatus } from "@handrail/host";
import type { TargetedKeyboardEvent } from "preact";
import { useState } from "preact/hooks";
import { readTags } from "../logic/answers";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Field, Select } from "../../../ui/Field";
import { Icon } from "../../../ui/Icon";

interface TaskCardProps {
  task: Task;
  at: number;
  total: number;
  /** By the name of the field. */
  problems: ReadonlyMap<string, string>;
  isDragged: boolean;
  onChange: (task: Task) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
}

export function TaskCard(props: TaskCardProps) {
  const { task, at, total, problems, isDragged, onChange, onMove, onRemove, onDragStart, onDragOver, onDragEnd } = props;
  const t = texts.value;
  const [isWanted, setIsOpen] = useState(task.details !== "" || task.tags.length > 0);
  const isOpen = isWanted || [...problems.keys()].some((field) => field !== "title");
  const name = visible(task.title) || t.task(at + 1);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    onMove(event.key === "ArrowUp" ? at - 1 : at + 1);
  };

  return (
    <li
      class={`task ${isDragged ? "dragged" : ""}`}
      data-task={task.draftId}
      onKeyDown={onKeyDown}
      onDragOver={(event) => {
        event.preventDefault();
        onDragOver();
      }}
      onDrop={(event) => event.preventDefault()}
    >
      <div class="task-head">
        <button
          type="button"
          class="grip"
          draggable
          title={t.dragHint}
          aria-label={`${name}: ${t.dragHint}`}
          onDragStart={(event) => {
            event.dataTransfer?.setData("text/plain", task.draftId);
            onDragStart();
          }}
          onDragEnd={onDragEnd}
        >
          <Icon name="grip" />
        </button>
        <span class="task-number" aria-hidden="true">{at + 1}</span>
        <Field label={t.taskTitle} kind="line" isLabelHidden value={task.title} onInput={(title) => onChange({ ...task, title })} problem={problems.get("title")} isRequired />
        <span class="task-actions">
          <button type="button" aria-label={`${t.details}: ${name}`} title={t.details} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}><Icon name={isOpen ? "smaller" : "edit"} /></button>
          <button type="button" aria-label={`${t.moveUp}: ${name}`} title={t.moveUp} disabled={at === 0} onClick={() => onMove(at - 1)}><Icon name="up" /></button>
          <button type="button" aria-label={`${t.moveDown}: ${name}`} title={t.moveDown} disabled={at === total - 1} onClick={() => onMove(at + 1)}><Icon name="down" /></button>
          <button type="button" aria-label={t.removeTask(name)} title={t.removeTask(name)} onClick={onRemove}><Icon name="remove" /></button>
        </span>
      </div>
      {isOpen && <TaskMore task={task} problems={problems} onChange={onChange} />}
    </li>
  );
}

/** Fields that are seldom changed; unfolded if they have content. */
function TaskMore({ task, problems, onChange }: Pick<TaskCardProps, "task" | "problems" | "onChange">) {
  const t = texts.value;
  // As typed: "a, " must keep its comma while the next tag is about to be typed.
  const [tags, setTags] = useState(task.tags.join(", "));
  return (
    <>
      <Field label={t.details} kind="multiline" value={task.details} onInput={(details) => onChange({ ...task, details })} problem={problems.get("details")} />
      <div class="task-row">
        <Select
          label={t.priority}
          value={task.priority}
          problem={problems.get("priority")}
          options={Object.entries(t.priorities)}
          onChange={(priority) => onChange({ ...task, priority: priority as TaskPriority })}
        />
        <Select
          label={t.status}
          value={task.status}
          problem={problems.get("status")}
          options={Object.entries(t.statuses)}
          onChange={(status) => onChange({ ...task, status: status as TaskStatus })}
        />
      </div>
      <Field
        label={t.tags}
        value={tags}
        problem={problems.get("tags")}
        onInput={(text) => {
          setTags(text);
          onChange({ ...task, tags: readTags(text) });
        }}
      />
    </>
  );
}
