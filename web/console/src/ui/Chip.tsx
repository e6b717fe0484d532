import { visible } from "../logic/visible";
import { texts } from "../store";

const COLOURS: Record<string, string> = {
  READ: "read", WRITE: "write", UI_CONTROL: "ui", EXECUTE: "exec", PROCESS_CONTROL: "exec", ASK: "ask",
};

export function EffectChip({ effect }: { effect: string }) {
  return <span class={`chip ${COLOURS[effect] ?? ""}`}>{texts.value.effects[effect] ?? visible(effect)}</span>;
}

export function Chip({ label, text, colour = "" }: { label?: string; text: string; colour?: string }) {
  return (
    <span class={`chip ${colour}`}>
      {label && <span class="chip-label">{label} </span>}
      {visible(text)}
    </span>
  );
}
