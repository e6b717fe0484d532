import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { readDoctor } from "../../doctor/actions";
import { arePluginsLoaded, plugins } from "../../browser/store";
import { chatTexts, hasModel, models, modelTitle } from "../store";
import { readState } from "../../desktop/actions";
import { translateServerText } from "../../../logic/serverText";
import { session, texts } from "../../../store";
import { lazily } from "../../../ui/Lazy";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";

const ModelForm = lazily(async () => (await import("./ModelForm")).ModelForm);

type StepState = "ready" | "missing" | "checking";

/** What the agent needs to work: each with its state and the next step. */
export function FirstSteps() {
  const t = chatTexts.value;
  const doctor = useLoaded(readDoctor);
  const desktop = useLoaded(readState);
  const [isConnecting, setIsConnecting] = useState(false);
  const missing = doctor.data?.checks.filter(({ ok, required }) => required && !ok).length ?? 0;
  const connected = plugins.value.filter(({ socketConnected }) => socketConnected).length;
  const project = typeof session.value === "object" ? session.value.project : "";

  const states: Record<keyof typeof t.steps, StepState> = {
    project: doctor.data ? (missing ? "missing" : "ready") : doctor.error ? "missing" : "checking",
    model: models.value ? (hasModel.value ? "ready" : "missing") : "checking",
    extension: arePluginsLoaded.value ? (connected ? "ready" : "missing") : "checking",
    desktop: desktop.data ? (desktop.data.healthy ? "ready" : "missing") : desktop.error ? "missing" : "checking",
  };
  return (
    <section class="first-steps" aria-label={t.firstSteps}>
      <h2>{t.firstSteps} <span class="sub">{t.firstStepsHint}</span></h2>
      <ol>
        <Step name="project" state={states.project} about={project} detail={missing ? t.projectIll(missing) : doctor.error || t.projectWell} next={<a href="#/settings/setup">{t.lookAt.project}</a>} />
        <Step
          name="model"
          state={states.model}
          detail={hasModel.value ? t.modelWell(modelTitle(models.value?.current ?? "")) : t.modelIll}
          next={<button type="button" class={isConnecting ? "plain" : "primary"} aria-expanded={isConnecting} onClick={() => setIsConnecting(!isConnecting)}>{t.lookAt.model}</button>}
        >
          {isConnecting && states.model === "missing" && <ModelForm onConnected={() => setIsConnecting(false)} />}
        </Step>
        <Step name="extension" state={states.extension} detail={connected ? t.extensionWell(connected) : t.extensionIll} next={<a href="#/browser">{t.lookAt.extension}</a>} />
        <Step name="desktop" state={states.desktop} detail={desktop.data?.healthy ? t.desktopWell : translateServerText(desktop.data?.fixes[0]?.issue ?? "") || desktop.error || t.desktopIll} next={<a href="#/desktop">{t.lookAt.desktop}</a>} />
      </ol>
    </section>
  );
}

interface StepProps {
  name: "project" | "model" | "extension" | "desktop";
  state: StepState;
  about?: string;
  detail: string;
  next: ComponentChildren;
  children?: ComponentChildren;
}

function Step({ name, state, about, detail, next, children }: StepProps) {
  const t = chatTexts.value;
  return (
    <li class={`first-step ${state}`}>
      <span class="first-step-mark" aria-hidden="true">{state === "ready" ? "✓" : "○"}</span>
      <span class="first-step-text">
        <strong>{t.steps[name]}</strong> <span class="sub">{t.stepStates[state]}{about && <> · <Visible text={about} /></>}</span>
        <span class="sub first-step-detail">{state === "checking" ? texts.value.loading : <Visible text={detail} />}</span>
      </span>
      {state === "missing" && <span class="first-step-next">{next}</span>}
      {children}
    </li>
  );
}
