import { texts } from "../../store";
import { EffectChip } from "../../ui/Chip";
import { Facts } from "../../ui/Facts";
import { useLoaded } from "../../ui/useLoaded";
import { Visible } from "../../ui/Visible";
import { readPolicy, readRules, removeRule, type Policy } from "./actions";

export function PolicyCard() {
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

/** What agents may do without asking; removing a rule counts for the next call. */
function UserRules() {
  const t = texts.value;
  const { data, error, again } = useLoaded(readRules);
  const remove = (id: string): void => void removeRule(id).then(again, again);
  if (error) return <p class="problem">{error}</p>;
  return (
    <ul class="rules">
      {(data?.rules ?? []).map((rule) => (
        <li key={rule.id}>
          <span class={`decision ${rule.decision}`}>{t.decisions[rule.decision] ?? rule.decision}</span>
          <code><Visible text={[rule.tool ?? rule.effect, rule.path, rule.place, rule.host, rule.app, rule.command, rule.server].filter(Boolean).join(" · ")} /></code>
          <span class="sub"><Visible text={[rule.project ?? t.everyProject, rule.caller ?? rule.agent ?? t.everyAgent, rule.task ? t.endOfTask : (rule.until ?? t.noEnd)].join(" · ")} /></span>
          <button type="button" class="plain" onClick={() => remove(rule.id)}>{t.removeRule}</button>
        </li>
      ))}
    </ul>
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
              <code><Visible text={[rule.tool, rule.path, rule.place, rule.host, rule.app].filter(Boolean).join(" · ")} /></code>
            </li>
          ))}
        </ul>
      )}
      <h3>{t.userRules}</h3>
      <UserRules />
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
