import { texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";
import { useLoaded } from "../../../ui/useLoaded";
import { readAgents, readPolicy, readRules } from "../actions";
import { Agents } from "./Agents";
import { ProjectPolicy } from "./ProjectPolicy";
import { RuleTable } from "./RuleTable";
import { RuleTest } from "./RuleTest";

/** What agents may do without asking, who they are, and what asks. */
export function Permissions() {
  const t = texts.value;
  const policy = useLoaded(readPolicy);
  const rules = useLoaded(readRules);
  const agents = useLoaded(readAgents);
  const error = policy.error || rules.error || agents.error;
  return (
    <>
      <PageHead title={t.pages.permissions} sub={t.permissionsHint} />
      <div class="page-body permissions-page" data-scroller tabIndex={0} role="group" aria-label={t.pages.permissions}>
        {error && <p class="problem" role="alert">{error}</p>}
        <Defaults decided={policy.data?.defaults ?? {}} />
        <RuleTable rules={rules.data?.rules ?? []} agents={agents.data ?? []} isLoaded={rules.data !== null} changed={rules.again} />
        <RuleTest agents={agents.data ?? []} />
        <Agents agents={agents.data ?? []} rules={rules.data?.rules ?? []} isLoaded={agents.data !== null} replace={agents.replace} changed={agents.again} />
        {policy.data && <ProjectPolicy policy={policy.data} changed={policy.replace} />}
      </div>
    </>
  );
}

/** What happens where no rule matches, by what a call does. */
function Defaults({ decided }: { decided: Record<string, string> }) {
  const t = texts.value;
  return (
    <ul class="defaults" aria-label={t.policyDefaults}>
      {Object.entries(decided).map(([effect, decision]) => (
        <li key={effect}>
          <span class="sub">{t.deeds[effect]?.name ?? effect}</span>
          <strong class={`decision ${decision}`}>{t.verdicts[decision] ?? decision}</strong>
          <span class="sub">{t.deeds[effect]?.hint}</span>
        </li>
      ))}
    </ul>
  );
}
