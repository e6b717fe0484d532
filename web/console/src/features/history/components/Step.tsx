import { useState } from "preact/hooks";
import { translateFailure } from "../../../logic/serverText";
import { texts } from "../../../store";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import type { Call } from "../logic/calls";
import { namesOf, verdictOf, type TimelineStep } from "../logic/timeline";
import { undone } from "../store";
import { CallEvidence } from "./CallDetails";
import { Sentence } from "./Sentence";
import { Thumbs } from "./Thumbs";

const MOST_NAMES = 4;
const MARKS = { done: "✓", failed: "!", denied: "–", unanswered: "–", unknown: "?", running: "…" } as const;

/** One sentence of a task's timeline with its evidence; the whole record opens below. */
export function Step({ step }: { step: TimelineStep }) {
  const t = texts.value;
  const [isOpen, setIsOpen] = useState(false);
  const [first] = step.calls as [Call];
  const { state } = first;
  const isUndone = step.calls.every(({ executionId }) => undone.value.has(executionId));
  return (
    <div class="step" role="listitem" data-step={step.id}>
      <span class={`step-mark ${state}`} aria-hidden="true">{MARKS[state]}</span>
      <div class="step-line">
        <button type="button" class="step-open" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Sentence step={step} />
          {isUndone && <span class="dim">{t.undone}</span>}
          {state !== "done" && !wasAnswered(first) && <span class={`state ${state}`}>{t.states[state]}</span>}
          <Allowed call={first} />
        </button>
        <Moment at={first.startedAt} isShort />
      </div>
      {first.error?.message && !wasAnswered(first) && <p class="step-more problem"><Visible text={translateFailure(first.error.message, first.error.condition)} /></p>}
      {step.isGroup && <Names step={step} />}
      <Thumbs step={step} />
      {isOpen && <div class="step-record">{step.calls.map((call) => <CallEvidence key={call.executionId} call={call} />)}</div>}
    </div>
  );
}

/** A person's denial, or no answer, is shown beside the sentence; the message adds nothing. */
export const wasAnswered = ({ answer }: Call): boolean => answer?.status === "canceled" || answer?.status === "timeout";

export function Allowed({ call }: { call: Call }) {
  const verdict = verdictOf(call);
  return verdict && <span class="dim">{texts.value.decided[verdict]}{call.answer?.remark && <> “<Visible text={call.answer.remark} />”</>}</span>;
}

function Names({ step }: { step: TimelineStep }) {
  const names = namesOf(step);
  if (names.length === 0) return null;
  const hiddenCount = names.length - MOST_NAMES;
  return <p class="step-more dim">{names.slice(0, MOST_NAMES).map((name, at) => <span key={name}>{at > 0 && " · "}<Visible text={name} /></span>)}{hiddenCount > 0 && ` · ${texts.value.moreNames(hiddenCount)}`}</p>;
}
