import { answererName } from "../../people/answerers";
import { useState } from "preact/hooks";
import { undo, undoFile } from "../actions/calls";
import { goTo } from "../../../shell/address";
import { messageOf } from "../../../shell/failure";
import { type Call, canUndo } from "../logic/calls";
import { undone } from "../store";
import { page, texts } from "../../../store";
import { EvidenceFiles } from "./EvidenceFiles";
import { Facts } from "../../../ui/Facts";
import { Moment } from "../../../ui/Moment";

/** A call's facts and its evidence. */
export function CallDetails({ call }: { call: Call }) {
  return (
    <div class="call-details">
      <CallFacts call={call} />
      <Undo call={call} />
      <h2>{texts.value.evidence}</h2>
      <EvidenceFiles call={call} />
    </div>
  );
}

/** The same within a timeline: evidence first, the record can be unfolded. */
export function CallEvidence({ call }: { call: Call }) {
  return (
    <div class="call-shown">
      <EvidenceFiles call={call} />
      <Undo call={call} />
      <details>
        <summary>{texts.value.onRecord}</summary>
        <CallFacts call={call} />
      </details>
    </div>
  );
}

/** Below a frame of the replay, which shows the change and the pictures itself. */
export function CallRecord({ call }: { call: Call }) {
  return (
    <>
      <Undo call={call} />
      <details>
        <summary>{texts.value.onRecord}</summary>
        <CallFacts call={call} />
        <EvidenceFiles call={call} isBrief />
      </details>
    </>
  );
}

function CallFacts({ call }: { call: Call }) {
  const t = texts.value;
  const { answer, error, task } = call;
  return (
    <>
      <Facts
        facts={[
          [t.target, call.target],
          [t.caller, call.caller],
          [t.taskId, call.task],
          [t.decision, call.decision],
          [t.answeredBy, answer && [t.outcomes[answer.status] ?? answer.status, answer.by && answererName(answer.by), answer.remark].filter(Boolean).join(" · ")],
          [t.error, error && [error.condition ?? error.code, error.message].filter(Boolean).join(": ")],
          [t.started, <Moment at={call.startedAt} />],
          [t.execution, call.executionId],
        ]}
      />
      {task && page.value !== "history" && <p><button type="button" class="quiet" onClick={() => goTo("history", `replay:task:${task}`)}>{t.replay}</button></p>}
    </>
  );
}

function Undo({ call }: { call: Call }) {
  const t = texts.value;
  const { executionId } = call;
  const isUndone = undone.value.has(executionId);
  const [isUndoing, setIsUndoing] = useState(false);
  const [error, setError] = useState("");
  const { target = "", project = "" } = call;

  async function takeBack(work: () => Promise<void>): Promise<void> {
    setIsUndoing(true);
    setError("");
    try {
      await work();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setIsUndoing(false);
    }
  }

  if (!canUndo(call)) return null;
  return (
    <p class="row">
      <button type="button" class="plain" disabled={isUndoing || isUndone} onClick={() => void takeBack(() => undo(executionId))}>
        {isUndone ? t.undone : isUndoing ? t.undoing : t.undo}
      </button>
      {target && <button type="button" class="bare" disabled={isUndoing} onClick={() => void takeBack(() => undoFile(target, project))}>{t.undoFile}</button>}
      {error && <span class="problem" role="alert">{error}</span>}
    </p>
  );
}
