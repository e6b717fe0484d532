import { useEffect, useState } from "preact/hooks";
import { readEvidence, showFilm, undo } from "../actions";
import { messageOf } from "../failure";
import { type Call, canUndo, evidenceUrl } from "../logic/calls";
import { filmed, texts, undone } from "../store";
import { EffectChip } from "./Chip";
import { Diff } from "./Diff";
import { Facts } from "./Facts";
import { formatDuration, Moment } from "./Moment";
import { Visible } from "./Visible";

export function CallRow({ call, isOpen, toggle }: { call: Call; isOpen: boolean; toggle: (id: string) => void }) {
  const t = texts.value;
  const { executionId, tool = "", effect, target, state, durationMs } = call;
  const isUndone = undone.value.has(executionId);
  return (
    <div class="call" role="listitem">
      <button type="button" class="call-summary" aria-expanded={isOpen} onClick={() => toggle(executionId)}>
        {effect && <EffectChip effect={effect} />}
        <span class="mono"><Visible text={tool} /></span>
        {target && <span class="sub target"><Visible text={target} /></span>}
        <span class="call-end">
          <span class={`state ${state}`}>{isUndone ? t.undone : t.states[state]}</span>
          {durationMs !== undefined && <span class="sub">{formatDuration(durationMs)}</span>}
          <span class="sub"><Moment at={call.startedAt} /></span>
        </span>
      </button>
      {isOpen && <CallDetails call={call} />}
    </div>
  );
}

/** What is known of a call, and what shows it. */
export function CallDetails({ call }: { call: Call }) {
  const t = texts.value;
  const isUndone = undone.value.has(call.executionId);
  const { answer, error, task } = call;
  return (
    <div class="call-details">
      <Facts
        facts={[
          [t.target, call.target],
          [t.caller, call.caller],
          [t.taskId, call.task],
          [t.decision, call.decision],
          [t.answeredBy, answer && [t.outcomes[answer.status] ?? answer.status, answer.by, answer.remark].filter(Boolean).join(" · ")],
          [t.error, error && [error.condition ?? error.code, error.message].filter(Boolean).join(": ")],
          [t.started, <Moment at={call.startedAt} />],
          [t.execution, call.executionId],
        ]}
      />
      {task && filmed.value === null && <p><button type="button" class="quiet" onClick={() => showFilm(task)}>{t.asFilm}</button></p>}
      {canUndo(call) && <Undo executionId={call.executionId} isUndone={isUndone} />}
      <Exhibits call={call} />
    </div>
  );
}

/** The files that show what a call did. */
export function Exhibits({ call }: { call: Call }) {
  const t = texts.value;
  const files = Object.keys(call.evidence?.sha256 ?? {}).sort();
  return (
    <>
      <h2>{t.evidence}</h2>
      {files.length === 0 && <p class="sub">{t.noEvidence}</p>}
      {files.map((file) => <Exhibit key={file} executionId={call.executionId} file={file} />)}
    </>
  );
}

function Undo({ executionId, isUndone }: { executionId: string; isUndone: boolean }) {
  const t = texts.value;
  const [isUndoing, setIsUndoing] = useState(false);
  const [error, setError] = useState("");

  async function takeBack(): Promise<void> {
    setIsUndoing(true);
    setError("");
    try {
      await undo(executionId);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setIsUndoing(false);
    }
  }

  return (
    <p class="row">
      <button type="button" class="plain" disabled={isUndoing || isUndone} onClick={() => void takeBack()}>
        {isUndone ? t.undone : isUndoing ? t.undoing : t.undo}
      </button>
      {error && <span class="problem" role="alert">{error}</span>}
    </p>
  );
}

const PICTURE = /\.(png|jpe?g|webp|gif)$/i;

/** The diff is drawn at once, pictures are shown, other files open when asked for. */
function Exhibit({ executionId, file }: { executionId: string; file: string }) {
  const url = evidenceUrl(executionId, file);
  const isDiff = file === "diff.patch";
  const [isOpen, setIsOpen] = useState(isDiff);
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState("");
  const isPicture = PICTURE.test(file);

  useEffect(() => {
    if (!isOpen || isPicture || text !== null) return;
    readEvidence(url).then(setText, (failure: unknown) => setError(messageOf(failure)));
  }, [isOpen]);

  if (isPicture) return <figure><img src={url} alt={file} loading="lazy" /><figcaption class="sub">{file}</figcaption></figure>;
  return (
    <div class="exhibit">
      <button type="button" class="exhibit-name mono" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}><Visible text={file} /></button>
      {isOpen && error && <p class="problem">{error}</p>}
      {isOpen && text !== null && (isDiff ? <Diff text={text} /> : <pre tabIndex={0}><Visible text={text} /></pre>)}
    </div>
  );
}
