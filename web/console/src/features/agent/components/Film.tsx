import { useEffect, useRef, useState } from "preact/hooks";
import { readCalls } from "../../history/actions";
import { showFilm } from "../../history/store";
import { tasks } from "../../browser/store";
import { chatTexts } from "../store";
import { messageOf } from "../../../shell/failure";
import type { Call } from "../../history/logic/calls";
import { visible } from "../../../logic/visible";
import { filmed } from "../../history/store";
import { texts } from "../../../store";
import { CallShown } from "../../history/components/CallDetails";
import { EffectChip } from "../../../ui/Chip";
import { Icon } from "../../../ui/Icon";
import { Moment } from "../../../ui/Moment";
import { ServerFileLink } from "../../../ui/ServerFileLink";
import { Visible } from "../../../ui/Visible";
import "../chat.css";

const STEP_MS = 2500;

/** A task's calls over all surfaces, one after the other, each with what shows it. */
export function Film() {
  const taskId = filmed.value ?? "";
  const t = chatTexts.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [steps, setSteps] = useState<readonly Call[] | null>(null);
  const [problem, setProblem] = useState("");
  const [at, setAt] = useState(0);
  const [isPlaying, setIsPlaying] = useState(false);
  const total = steps?.length ?? 0;
  const title = tasks.value.find((task) => task.taskId === taskId)?.title || taskId;

  useEffect(() => {
    dialog.current?.showModal();
    frame.current?.focus();
    // As they began, whatever ended first.
    readCalls({ task: taskId }).then((found) => setSteps([...found].sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : a.seq - b.seq))), (failure: unknown) => setProblem(messageOf(failure)));
  }, []);
  useEffect(() => {
    if (!isPlaying) return;
    if (at >= total - 1) return setIsPlaying(false);
    const next = setTimeout(() => setAt(at + 1), STEP_MS);
    return () => clearTimeout(next);
  }, [isPlaying, at, total]);

  const go = (to: number): void => setAt(Math.max(0, Math.min(total - 1, to)));
  const play = (): void => {
    if (!isPlaying && at >= total - 1) setAt(0);
    setIsPlaying(!isPlaying);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === "ArrowLeft") go(at - 1);
    if (event.key === "ArrowRight") go(at + 1);
    if (event.key === "Home") go(0);
    if (event.key === "End") go(total - 1);
  };
  const call = steps?.[at];
  return (
    <dialog ref={dialog} class="film" aria-label={t.filmOf(visible(title))} onClose={() => showFilm(null)} onKeyDown={onKeyDown}>
      <header class="film-head">
        <h2><Visible text={t.filmOf(title)} /></h2>
        <ServerFileLink class="plain" url={`/api/report/${encodeURIComponent(taskId)}`} name={`handrail-${taskId}.html`}>{t.report}</ServerFileLink>
        <button type="button" class="icon-button" aria-label={t.close} title={t.close} onClick={() => dialog.current?.close()}><Icon name="remove" /></button>
      </header>
      <div class="film-frame" ref={frame} data-scroller tabIndex={0} role="group" aria-label={t.film}>
        {problem && <p class="problem" role="alert">{problem}</p>}
        {!steps && !problem && <p class="nothing">{texts.value.loading}</p>}
        {steps && total === 0 && <p class="nothing">{t.noSteps}</p>}
        {call && <Frame key={call.executionId} call={call} />}
      </div>
      {total > 0 && (
        <footer class="film-bar">
          <button type="button" class="icon-button" aria-label={t.previousStep} title={t.previousStep} aria-disabled={at === 0} onClick={() => go(at - 1)}><Icon name="left" /></button>
          <button type="button" class="primary" aria-label={isPlaying ? t.pauseFilm : t.playFilm} title={isPlaying ? t.pauseFilm : t.playFilm} onClick={play}><Icon name={isPlaying ? "pause" : "play"} /></button>
          <button type="button" class="icon-button" aria-label={t.nextStep} title={t.nextStep} aria-disabled={at >= total - 1} onClick={() => go(at + 1)}><Icon name="right" /></button>
          <input type="range" min={1} max={total} value={at + 1} aria-label={t.film} aria-valuetext={t.step(at + 1, total)} onInput={(event) => go(event.currentTarget.valueAsNumber - 1)} />
          <span class="sub" role="status">{t.step(at + 1, total)}</span>
        </footer>
      )}
    </dialog>
  );
}

function Frame({ call }: { call: Call }) {
  const t = texts.value;
  return (
    <article class="film-step">
      <p class="tags">
        {call.effect && <EffectChip effect={call.effect} />}
        <strong class="mono"><Visible text={call.tool ?? ""} /></strong>
        {call.target && <span class="sub"><Visible text={call.target} /></span>}
        <span class={`state ${call.state}`}>{t.states[call.state]}</span>
        <span class="sub"><Moment at={call.startedAt} /></span>
      </p>
      {call.error?.message && <p class="problem"><Visible text={call.error.message} /></p>}
      <CallShown call={call} />
    </article>
  );
}
