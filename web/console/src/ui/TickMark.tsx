import type { Tick } from "../logic/markdown";
import { texts } from "../store";

const MARKS: Record<Tick, string> = { todo: "○", doing: "◔", done: "✓" };

/** How far a step is: a sign for the eye, a word for everybody else. */
export function TickMark({ tick }: { tick: Tick }) {
  return <span class={`tick ${tick}`}><span aria-hidden="true">{MARKS[tick]}</span><span class="unseen">{texts.value.statuses[tick]}: </span></span>;
}
