import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { isCovered, isTyping } from "../../../logic/keys";
import { messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { Icon } from "../../../ui/Icon";
import { picturesOf, type Call } from "../logic/calls";
import { actsIn, timelineOf, type TimelineStep } from "../logic/timeline";
import { Frame, type Exchanges, type Picture } from "./Frame";
import { phraseOf, nameOf } from "./Sentence";
import type { Story } from "./Timeline";

const STEP_MS = 2500;

/** A task step by step: a strip of all steps, which keeps its place; below, before and after and what was done. Every step shows something. */
export function Replay({ story, exchanges }: { story: Story; exchanges: Exchanges }) {
  const t = texts.value;
  const steps = useMemo(() => timelineOf(story.calls), [story.calls]);
  const [at, setAt] = useState(0);
  const [problem, setProblem] = useState("");
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

  // A replay begins at the first step, so all pages are loaded first.
  useEffect(() => {
    story.loadEarlier?.().catch((failure: unknown) => setProblem(messageOf(failure)));
  }, [story.calls.length, story.loadEarlier === null]);

  // Wherever the focus is, but an open question has its own arrows.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: total - 1 }[event.key];
      if (to === undefined || isTyping(event) || isCovered() || document.querySelector(".panel:not([hidden])")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      go(to);
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [at, total]);

  const step = steps[at];
  if (problem) return <p class="problem" role="alert">{problem}</p>;
  if (story.loadEarlier) return <p class="nothing" role="status">{t.loading}</p>;
  if (!step) return <p class="nothing">{story.isLoaded ? t.noCalls : t.loading}</p>;
  const from = Math.max(0, at - 40);
  return (
    <section class="replay" aria-label={t.replay}>
      <div class="replay-bar">
        <button type="button" class="plain" aria-label={t.previousStep} title={t.previousStep} disabled={at === 0} onClick={() => go(at - 1)}><Icon name="left" /></button>
        <button type="button" class="primary" aria-label={isPlaying ? t.pauseReplay : t.playReplay} title={isPlaying ? t.pauseReplay : t.playReplay} onClick={() => { if (!isPlaying && at >= total - 1) setAt(0); setIsPlaying(!isPlaying); }}><Icon name={isPlaying ? "pause" : "play"} /></button>
        <button type="button" class="plain" aria-label={t.nextStep} title={t.nextStep} disabled={at >= total - 1} onClick={() => go(at + 1)}><Icon name="right" /></button>
        <input type="range" min={1} max={total} value={at + 1} aria-label={t.replay} aria-valuetext={t.stepOf(at + 1, total)} onInput={(event) => go(event.currentTarget.valueAsNumber - 1)} />
        <span class="dim" role="status">{t.stepOf(at + 1, total)}</span>
      </div>
      <div class="strip" ref={strip} role="group" aria-label={t.allSteps}>
        {steps.slice(from, at + 41).map((one, offset) => {
          const place = from + offset;
          const [word, about] = cellOf(one);
          return <button type="button" key={one.id} class="cell" aria-current={place === at ? "step" : undefined} onClick={() => go(place)}><b>{word}</b><span>{about}</span></button>;
        })}
      </div>
      <Frame key={step.id} step={step} exchanges={exchanges} lastSeen={lastSeenBefore(steps, at)} />
    </section>
  );
}

/** What was done in a word or two, and to what. */
function cellOf(step: TimelineStep): [string, string] {
  const [first] = step.calls as [Call];
  const [[act, calls]] = actsIn(step) as [[keyof typeof texts.value.acts.did, readonly Call[]]];
  if (calls.length > 1) return [texts.value.acts.did[act][1](calls.length), ""];
  const [words, object] = phraseOf(first);
  return [first.state === "done" ? words : texts.value.states[first.state], visible(nameOf(object).split("/").at(-1) ?? "")];
}

/** For a step without a picture on a page or a window: the last picture of it shows where the step happened. */
function lastSeenBefore(steps: readonly TimelineStep[], at: number): Picture | undefined {
  const surface = surfaceOf(steps[at]?.calls[0]);
  if (!surface) return undefined;
  for (const { calls } of steps.slice(0, at).reverse()) {
    for (const call of [...calls].reverse()) {
      const file = picturesOf(call).at(-1);
      if (file && surfaceOf(call) === surface) return { call, file };
    }
  }
  return undefined;
}

const surfaceOf = (call: Call | undefined): string => /^(browser|desktop)_/.exec(call?.tool ?? "")?.[1] ?? "";
