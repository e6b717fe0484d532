import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { Visible } from "../../../ui/Visible";
import type { Policy } from "../actions";
import { PolicyTrust } from "./PolicyTrust";

/** The rules in force here, yours and the project's own, and the limits. */
export function ProjectPolicy({ policy, changed }: { policy: Policy; changed: (now: Policy) => void }) {
  const t = texts.value;
  const { rules = [], policies = {} } = policy;
  const trust = policy.exists === false ? t.noPolicyFile : policy.trusted ? t.trusted : t.untrusted;
  return (
    <section class="card" aria-labelledby="in-force">
      <h2 id="in-force">{t.policy}</h2>
      <Facts facts={[[t.policyFrom, policy.path]]} />
      {policy.path && <p class="sub">{trust}</p>}
      <PolicyTrust policy={policy} changed={changed} />
      <h3>{t.rules}</h3>
      {rules.length === 0 ? (
        <p class="sub">{t.noRules}</p>
      ) : (
        <ul class="rules">
          {rules.map((rule, at) => (
            <li key={at}>
              <span class={`decision ${rule.decision}`}>{t.decisions[rule.decision] ?? rule.decision}</span>
              {rule.effect && <Chip text={t.deeds[rule.effect]?.name ?? rule.effect} />}
              <code><Visible text={[rule.tool, rule.path, rule.place, rule.host, rule.app].filter(Boolean).join(" · ")} /></code>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>{t.limits}</summary>
        <Facts facts={Object.entries(policies).map(([name, value]): [string, string] => [name, typeof value === "string" ? value : JSON.stringify(value)])} />
      </details>
    </section>
  );
}
