import type { Call } from "../logic/calls";
import { texts } from "../../../store";
import { undone } from "../store";
import { CallDetails } from "./CallDetails";
import { EffectChip } from "../../../ui/Chip";
import { formatDuration, Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";

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
