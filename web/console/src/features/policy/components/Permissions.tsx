import { useMemo } from "preact/hooks";
import { texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";
import { useLoaded } from "../../../ui/useLoaded";
import { readPolicy, readPermissionSources } from "../actions";
import { permissionsOf } from "../logic/permissions";
import { AddAgent } from "./AddAgent";
import { PermissionTable } from "./PermissionTable";
import { ProjectPolicy } from "./ProjectPolicy";
import { RuleTest } from "./RuleTest";
import "../permissions.css";

/** What agents may do without asking, and what asks. */
export function Permissions() {
  const t = texts.value;
  const policy = useLoaded(readPolicy);
  const standing = useLoaded(readPermissionSources);
  const permissions = useMemo(() => (standing.data ? permissionsOf(standing.data) : []), [standing.data]);
  const error = policy.error || standing.error;
  const again = (): void => {
    standing.again();
    policy.again();
  };
  return (
    <>
      <PageHead title={t.pages.permissions} sub={t.permissionsHint} />
      <div class="page-body permissions-page" data-scroller tabIndex={0} role="group" aria-label={t.pages.permissions}>
        {error && <p class="problem" role="alert">{error}</p>}
        <Defaults decided={policy.data?.defaults ?? {}} />
        <PermissionTable permissions={permissions} isLoaded={standing.data !== null} changed={again} />
        <RuleTest agents={standing.data?.agents ?? []} />
        <AddAgent added={again} />
        {policy.data && <ProjectPolicy policy={policy.data} changed={(now) => { policy.replace(now); standing.again(); }} />}
      </div>
    </>
  );
}

/** What happens if no rule matches: six tiles, one for each kind of effect. */
function Defaults({ decided }: { decided: Record<string, string> }) {
  const t = texts.value;
  return (
    <ul class="defaults" aria-label={t.policyDefaults}>
      {Object.keys(t.deeds).map((effect) => {
        const decision = decided[effect];
        return (
          <li key={effect}>
            <span class="sub">{t.deeds[effect]?.name}</span>
            <strong class={`decision ${decision ?? ""}`}>{decision ? (t.verdicts[decision] ?? decision) : "…"}</strong>
            <span class="sub">{t.deeds[effect]?.hint}</span>
          </li>
        );
      })}
    </ul>
  );
}
