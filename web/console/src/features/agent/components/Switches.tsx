import { change } from "../actions/steering";
import { chatTexts, conversation, models, wantedMode, wantedModel } from "../store";
import { messageOf } from "../../../shell/failure";
import type { Mode } from "../logic/chat";
import { visible } from "../../../logic/visible";

interface SwitchProps {
  taskId: string;
  fail: (problem: string) => void;
}

/** Whether the next words are to be planned or carried out. */
export function ModeSwitch({ taskId, fail }: SwitchProps) {
  const t = chatTexts.value;
  const mode: Mode = wantedMode.value ?? (taskId ? conversation.value.run?.mode : undefined) ?? "act";
  return (
    <div class="mode-switch" role="group" aria-label={t.mode}>
      {(["plan", "act"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={mode === one} title={t.modeHints[one]} onClick={() => void change(taskId, { mode: one }).catch((failure: unknown) => fail(messageOf(failure)))}>{t.modes[one]}</button>
      ))}
    </div>
  );
}

/** Which model answers the next words. */
export function ModelSwitch({ taskId, fail }: SwitchProps) {
  const t = chatTexts.value;
  const known = models.value;
  if (!known) return null;
  const chosen = wantedModel.value ?? (taskId ? conversation.value.run?.model : undefined) ?? "";
  const names = known.models.filter(({ hasKey, name }) => hasKey && name !== known.current).map(({ name }) => name);
  const offered = chosen && chosen !== known.current && !names.includes(chosen) ? [chosen, ...names] : names;
  return (
    <select class="model-switch" aria-label={t.model} value={chosen === known.current ? "" : chosen} onChange={(event) => void change(taskId, { model: event.currentTarget.value }).catch((failure: unknown) => fail(messageOf(failure)))}>
      <option value="">{t.standard(known.current)}</option>
      {offered.map((name) => <option key={name} value={name}>{t.otherAgents[name] ?? visible(name)}</option>)}
    </select>
  );
}
