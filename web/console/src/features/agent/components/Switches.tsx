import { change } from "../actions/steering";
import { setEffort } from "../actions/models";
import { chatTexts, conversation, EFFORTS, isOtherAgent, isOtherAgentChosen, models, modelTitle, wantedMode, wantedModel, type Effort } from "../store";
import { messageOf } from "../../../shell/failure";
import type { Mode } from "../logic/chat";

interface SwitchProps {
  taskId: string;
  fail: (problem: string) => void;
}

/** Whether the next message is planned or carried out. */
export function ModeSwitch({ taskId, fail }: SwitchProps) {
  const t = chatTexts.value;
  if (isOtherAgentChosen.value) return null;
  const mode: Mode = wantedMode.value ?? (taskId ? conversation.value.run?.mode : undefined) ?? "act";
  return (
    <div class="mode-switch" role="group" aria-label={t.mode}>
      {(["plan", "act"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={mode === one} title={t.modeHints[one]} onClick={() => void change(taskId, { mode: one }).catch((failure: unknown) => fail(messageOf(failure)))}>{t.modes[one]}</button>
      ))}
    </div>
  );
}

/** Which model answers the next message. */
export function ModelSwitch({ taskId, fail }: SwitchProps) {
  const t = chatTexts.value;
  const list = models.value;
  if (!list) return null;
  const current = wantedModel.value ?? (taskId ? conversation.value.run?.model : undefined) ?? "";
  const names = list.models.filter(({ hasKey, name }) => hasKey && name !== list.current).map(({ name }) => name);
  const offered = current && current !== list.current && !names.includes(current) ? [current, ...names] : names;
  const choose = (model: string): void => void change(taskId, isOtherAgent(model) ? { model, mode: "act" } : { model }).catch((failure: unknown) => fail(messageOf(failure)));
  return (
    <select class="model-switch" aria-label={t.model} value={current === list.current ? "" : current} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="" title={list.current}>{t.standard(modelTitle(list.current))}</option>
      {offered.map((name) => <option key={name} value={name} title={name}>{modelTitle(name)}</option>)}
    </select>
  );
}

/** How much the model thinks before it answers, from the next message on. */
export function EffortSwitch({ fail }: Pick<SwitchProps, "fail">) {
  const t = chatTexts.value;
  if (!models.value?.current || isOtherAgentChosen.value) return null;
  return (
    <select class="model-switch effort-switch" aria-label={t.effort} title={t.effort} value={models.value.effort ?? ""} onChange={(event) => void setEffort(event.currentTarget.value as Effort).catch((failure: unknown) => fail(messageOf(failure)))}>
      {EFFORTS.map((effort) => <option key={effort} value={effort}>{effort ? t.chosenEffort(t.efforts[effort]) : t.effort}</option>)}
    </select>
  );
}
