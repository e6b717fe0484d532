import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { actOf, shortName } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Icon } from "../../../ui/Icon";
import { Moment } from "../../../ui/Moment";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { evidenceUrl, type Call } from "../logic/calls";
import { actsIn, targetsOf, timelineOf, type TimelineStep } from "../logic/timeline";
import { CallShown } from "./CallDetails";
import { picturesOf, Sentence } from "./Step";
import type { Story } from "./Timeline";

const STEP_MS = 2500;

/** A task step by step: before and after, what was done, and a strip of all steps. Every step has something to see. */
export function Replay({ story }: { story: Story }) {
  const t = texts.value;
  const steps = useMemo(() => timelineOf(story.calls), [story.calls]);
  const [at, setAt] = useState(0);
  const [isPlaying, setIsPlaying] = useState(false);
  const strip = useRef<HTMLDivElement>(null);
  const total = steps.length;
  const go = (to: number): void => setAt(Math.max(0, Math.min(total - 1, to)));

  useEffect(() => {
    if (!isPlaying) return;
    if (at >= total - 1) return setIsPlaying(false);
    const next = setTimeout(() => setAt(at + 1), STEP_MS);
    return () => clearTimeout(next);
  }, [isPlaying, at, total]);
  useEffect(() => {
    strip.current?.querySelector<HTMLElement>("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [at]);

  const step = steps[at];
  if (!step) return <p class="nothing">{story.isLoaded ? t.noCalls : t.loading}</p>;
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: total - 1 }[event.key];
    if (to === undefined || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  };
  return (
    <section class="replay" aria-label={t.replay} onKeyDown={onKeyDown}>
      <Stage key={step.id} step={step} />
      <div class="replay-bar">
        <button type="button" class="plain" aria-label={t.previousStep} title={t.previousStep} disabled={at === 0} onClick={() => go(at - 1)}><Icon name="left" /></button>
        <button type="button" class="primary" aria-label={isPlaying ? t.pauseReplay : t.playReplay} title={isPlaying ? t.pauseReplay : t.playReplay} onClick={() => { if (!isPlaying && at >= total - 1) setAt(0); setIsPlaying(!isPlaying); }}><Icon name={isPlaying ? "pause" : "play"} /></button>
        <button type="button" class="plain" aria-label={t.nextStep} title={t.nextStep} disabled={at >= total - 1} onClick={() => go(at + 1)}><Icon name="right" /></button>
        <input type="range" min={1} max={total} value={at + 1} aria-label={t.replay} aria-valuetext={t.stepOf(at + 1, total)} onInput={(event) => go(event.currentTarget.valueAsNumber - 1)} />
        <span class="dim" role="status">{t.stepOf(at + 1, total)}</span>
      </div>
      <div class="strip" ref={strip} role="group" aria-label={t.allSteps}>
        {steps.slice(Math.max(0, at - 40), at + 41).map((one) => {
          const place = steps.indexOf(one);
          const [word, about] = cellOf(one);
          return <button type="button" key={one.id} class="cell" aria-current={place === at ? "step" : undefined} onClick={() => go(place)}><b>{word}</b><span>{about}</span></button>;
        })}
      </div>
    </section>
  );
}

/** What was done in one word, and to what. */
function cellOf(step: TimelineStep): [string, string] {
  const t = texts.value;
  const [first] = step.calls as [Call];
  const [[act, calls]] = actsIn(step) as [[ReturnType<typeof actOf>, readonly Call[]]];
  const [word, several] = t.acts.did[act];
  const name = first.target ?? "";
  if (calls.length > 1) return [several(calls.length), ""];
  return [word, visible(shortName(name).split("/").at(-1) ?? "")];
}

function Stage({ step }: { step: TimelineStep }) {
  const t = texts.value;
  const [first] = step.calls as [Call];
  const pictures = step.calls.flatMap((call) => picturesOf(call).map((file) => ({ call, file })));
  const names = targetsOf(step);
  return (
    <article class="frame">
      {pictures.length > 0 && (
        <div class="stage">
          {pictures.slice(0, 2).map(({ call, file }) => {
            const label = /before/.test(file) ? t.before : /after/.test(file) ? t.after : t.pictureOf(visible(file));
            return <figure key={`${call.executionId}/${file}`}><Enlargeable label={label}><ServerImage url={evidenceUrl(call.executionId, file)} alt={label} /></Enlargeable><figcaption>{label} · <Moment at={call.startedAt} /></figcaption></figure>;
          })}
        </div>
      )}
      <h2><Sentence step={step} /></h2>
      <p class="dim"><Moment at={first.startedAt} /> · {t.states[first.state]}</p>
      {step.isGroup && names.length > 0 && <ul class="frame-names">{names.map((name) => <li key={name}><code><Visible text={name === "." ? t.acts.root : name} /></code></li>)}</ul>}
      {first.error?.message && <p class="problem"><Visible text={first.error.message} /></p>}
      {!step.isGroup && <CallShown call={first} />}
    </article>
  );
}
