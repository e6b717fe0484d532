import { useEffect, useState } from "preact/hooks";
import { limit } from "../actions/steering";
import { chatTexts } from "../store";
import { messageOf } from "../../../shell/failure";
import type { LimitName, Run } from "../logic/chat";
import { readLimit } from "../logic/limits";
import { Field } from "../../../ui/Field";

const NAMES: readonly LimitName[] = ["mostSteps", "mostCost"];

/** How far the agent may go in this task before it asks. An emptied field restores the limit of the settings. */
export function Limits({ taskId, run }: { taskId: string; run: Run }) {
  const t = chatTexts.value;
  if (run.mostSteps === undefined) return null;
  return (
    <details class="limits" open={run.reached !== undefined}>
      <summary>{t.limits}{run.steps !== undefined && <span class="sub"> · {t.stepsOf(run.steps, run.mostSteps)}</span>}</summary>
      {NAMES.map((name) => <Limit key={name} taskId={taskId} name={name} value={run[name] ?? 0} />)}
    </details>
  );
}

function Limit({ taskId, name, value }: { taskId: string; name: LimitName; value: number }) {
  const t = chatTexts.value;
  const [typed, setTyped] = useState(String(value));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => setTyped(String(value)), [value]);

  async function keep(): Promise<void> {
    const limitValue = readLimit(name, typed);
    if (limitValue === undefined) return setProblem(t.limitProblems[name]);
    setProblem(undefined);
    if (limitValue === value) return;
    await limit(taskId, { [name]: limitValue });
  }

  return (
    <form
      class="limit"
      onSubmit={(event) => { event.preventDefault(); keep().catch((failure: unknown) => setProblem(messageOf(failure))); }}
      onFocusOut={() => void keep().catch((failure: unknown) => setProblem(messageOf(failure)))}
    >
      <Field label={t.limitNames[name]} kind="number" value={typed} onInput={setTyped} problem={problem} />
    </form>
  );
}
