import type { Tick } from "../logic/markdown";
import { texts } from "../store";

const MARKS: Record<Tick, string> = { todo: "○", doing: "◔", done: "✓" };

/** The state of a step: a sign to see, and a word for screen readers. */
export function TickMark({ tick }: { tick: Tick }) {
  return <span class={`tick ${tick}`}><span aria-hidden="true">{MARKS[tick]}</span><span class="unseen">{texts.value.statuses[tick]}: </span></span>;
}
