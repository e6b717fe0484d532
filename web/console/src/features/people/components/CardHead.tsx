import type { Card, FileChangePrompt, RequestEntry } from "@handrail/host";
import { useContext, useMemo } from "preact/hooks";
import { tasks } from "../../browser/store";
import { parseDiff } from "../../../logic/diff";
import { agentLook } from "../../../logic/agents";
import { visible } from "../../../logic/visible";
import { projectName } from "../../../shell/projects";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Moment } from "../../../ui/Moment";
import { PathIcon } from "../../../ui/Icon";
import { askOf } from "../logic/ask";
import { InPlace } from "./AnswerForm";

const SHIELD = "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM8 12l3 3 5-6";
const RISKS: Record<string, string> = { undoable: "good", secrets: "bad", leaves: "bad", code: "" };

/** Who wants what, in which project and task, why, and its risks at a glance. */
export function CardHead({ card, request, prompt }: { card: Card; request: RequestEntry; prompt: FileChangePrompt }) {
  const t = texts.value.card;
  const { name } = agentLook(card.agent);
  const counted = useMemo(() => (prompt.diff ? parseDiff(prompt.diff) : null), [prompt.diff]);
  const isInPlace = useContext(InPlace) !== null;
  const task = isInPlace ? undefined : tasks.value.find(({ taskId }) => taskId === request.runId);
  return (
    <>
      <div class="ask-who">
        <Agent name={card.agent} />
        <span class="faint">{t.inProject(visible(projectName(card.project)))} · <Moment at={request.ts} isShort /></span>
        <Seal />
      </div>
      <h2 tabIndex={-1}><bdi>{askOf(card, prompt)}</bdi></h2>
      {card.reason && <p class="reason">{t.says(visible(name))}{texts.value.betweenSentences}<q><bdi>{visible(card.reason)}</bdi></q></p>}
      <ul class="risks">
        {card.risks.map((risk) => <li key={risk} class={`chip ${RISKS[risk]}`}>{t.risks[risk]}</li>)}
        {counted && counted.added + counted.deleted > 0 && <li class="chip">{texts.value.lines(counted.added, counted.deleted)}</li>}
        {task?.title && <li><a class="chip task-chip" href={`#/chat/${encodeURIComponent(task.taskId)}`}>{t.task(visible(task.title))}</a></li>}
      </ul>
    </>
  );
}

/** Shown only if the server says so; nothing in a prompt can produce it. */
export function Seal() {
  const t = texts.value.card;
  return <span class="seal" title={t.checkedHint}><PathIcon path={SHIELD} />{t.checked}</span>;
}
