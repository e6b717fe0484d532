import { useState } from "preact/hooks";
import { readDoctor, readPolicy } from "../actions/house";
import { setNotifies } from "../notice";
import { prefer, preferences, type Theme } from "../preferences";
import { session, texts, type Check, type Policy } from "../store";
import type { Language } from "../texts";
import { AccessCard } from "./AccessCard";
import { EffectChip } from "./Chip";
import { Facts } from "./Facts";
import { Select } from "./Field";
import { lazily } from "./Lazy";
import { PageHead } from "./PageHead";
import { useLoaded } from "./useLoaded";
import { Visible } from "./Visible";

const ModelCard = lazily(async () => (await import("./chat/ModelCard")).ModelCard);

export function Settings() {
  const t = texts.value;
  return (
    <>
      <PageHead title={t.pages.settings} />
      <div class="page-body settings" data-scroller tabIndex={0} role="group" aria-label={t.pages.settings}>
        <Appearance />
        <ModelCard />
        <PolicyCard />
        <AccessCard />
        <DoctorCard />
        <section class="card">
          <h2>{t.keyboard}</h2>
          <dl class="keys">
            {t.keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}
          </dl>
        </section>
      </div>
    </>
  );
}

function Appearance() {
  const t = texts.value;
  const { language, theme, notifies } = preferences.value;
  const [isBlocked, setIsBlocked] = useState(false);
  const about = typeof session.value === "object" ? session.value : null;
  return (
    <section class="card">
      <h2>{t.appearance}</h2>
      <div class="choices">
        <Select
          label={t.language}
          value={language}
          options={[["auto", t.automatic], ["zh", "中文"], ["en", "English"]]}
          onChange={(chosen) => prefer({ language: chosen as Language | "auto" })}
        />
        <Select label={t.theme} value={theme} options={Object.entries(t.themes)} onChange={(chosen) => prefer({ theme: chosen as Theme })} />
      </div>
      <label class="option">
        <input
          type="checkbox"
          checked={notifies}
          onChange={(event) => {
            const input = event.currentTarget;
            void setNotifies(input.checked).then((isDone) => {
              setIsBlocked(!isDone);
              input.checked = preferences.value.notifies;
            });
          }}
        />
        <span>{t.notifications}<span class="sub">{isBlocked ? t.notificationsBlocked : t.notificationsHint}</span></span>
      </label>
      <Facts facts={[[t.version, about?.version], [t.project, about?.project]]} />
    </section>
  );
}

function PolicyCard() {
  const t = texts.value;
  const { data: policy, error } = useLoaded(readPolicy);
  return (
    <section class="card">
      <h2>{t.policy}</h2>
      {error && <p class="problem">{error}</p>}
      {!policy && !error && <p class="nothing">{t.loading}</p>}
      {policy && <PolicyDetails policy={policy} />}
    </section>
  );
}

function PolicyDetails({ policy }: { policy: Policy }) {
  const t = texts.value;
  const { rules = [], defaults = {}, policies = {} } = policy;
  const trust = policy.exists === false ? t.noPolicyFile : policy.trusted ? t.trusted : t.untrusted;
  return (
    <>
      <Facts facts={[[t.policyFrom, policy.path && `${policy.path} (${trust})`]]} />
      <h3>{t.rules}</h3>
      {rules.length === 0 ? (
        <p class="sub">{t.noRules}</p>
      ) : (
        <ul class="rules">
          {rules.map((rule, at) => (
            <li key={at}>
              <span class={`decision ${rule.decision}`}>{t.decisions[rule.decision] ?? rule.decision}</span>
              {rule.effect && <EffectChip effect={rule.effect} />}
              <code><Visible text={[rule.tool, rule.path, rule.host, rule.app].filter(Boolean).join(" · ")} /></code>
            </li>
          ))}
        </ul>
      )}
      <h3>{t.policyDefaults}</h3>
      <ul class="rules">
        {Object.entries(defaults).map(([effect, decision]) => (
          <li key={effect}><span class={`decision ${decision}`}>{t.decisions[decision] ?? decision}</span><EffectChip effect={effect} /></li>
        ))}
      </ul>
      <details>
        <summary>{t.limits}</summary>
        <Facts facts={Object.entries(policies).map(([name, value]): [string, string] => [name, typeof value === "string" ? value : JSON.stringify(value)])} />
      </details>
    </>
  );
}

function DoctorCard() {
  const t = texts.value;
  const { data: doctor, error, again } = useLoaded(readDoctor);
  return (
    <section class="card">
      <h2>{t.doctor}</h2>
      {error && <p class="problem">{error}</p>}
      {!doctor && !error && <p class="nothing">{t.loading}</p>}
      {doctor && (
        <>
          <p role="status">{doctor.ok ? t.doctorWell : t.doctorIll}</p>
          <ul class="checks">{doctor.checks.map((check) => <CheckRow key={check.name} check={check} />)}</ul>
        </>
      )}
      <p class="row"><button type="button" class="plain" onClick={again}>{t.checkAgain}</button></p>
    </section>
  );
}

function CheckRow({ check }: { check: Check }) {
  const t = texts.value;
  const [state, word] = check.ok ? ["done", t.ok] : check.required ? ["failed", t.missing] : ["running", t.note];
  return (
    <li>
      <span class={`state ${state}`}>{word}</span>
      <span>
        <Visible text={t.served.checks[check.name] ?? check.name} /> <span class="sub"><Visible text={check.detail} /></span>
        {check.fix && <span class="sub fix"><Visible text={check.fix} /></span>}
      </span>
    </li>
  );
}
