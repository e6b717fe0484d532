import { useState } from "preact/hooks";
import { actOf, typedText } from "../../../logic/acts";
import { agentLook } from "../../../logic/agents";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { isChosen, projectName } from "../../../shell/projects";
import { announcement, texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Moment } from "../../../ui/Moment";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { Visible } from "../../../ui/Visible";
import { restore, revoke } from "../actions";
import { targetOf, toolsIn, type Permission } from "../logic/permissions";

interface PermissionTableProps {
  permissions: readonly Permission[];
  isLoaded: boolean;
  changed: () => void;
}

/**
 * Every permission that outlasts one call. A revocation takes effect with the next call, and can be undone for ten
 * minutes.
 */
export function PermissionTable({ permissions, isLoaded, changed }: PermissionTableProps) {
  const t = texts.value;
  const [error, setError] = useState("");
  const [revoked, setRevoked] = useState<Permission | null>(null);
  const [need, setNeed] = useState<PresenceNeed | null>(null);
  const shown = permissions.filter(({ project }) => isChosen(project || undefined));

  async function change(work: () => Promise<unknown>, now: Permission | null): Promise<void> {
    setError("");
    setNeed(null);
    try {
      await work();
      setRevoked(now);
      announcement.value = now ? t.ruleRevoked(titleOf(now)) : t.ruleRestored;
    } catch (failure) {
      const need = presenceNeed(failure);
      if (need) setNeed(need);
      else setError(messageOf(failure));
    }
    changed();
  }

  return (
    <section class="card flush" aria-labelledby="standing">
      <h2 id="standing">{t.standing}</h2>
      {error && <p class="problem" role="alert">{error}</p>}
      {revoked && (
        <p class="row revoked" role="status">
          <span>{t.ruleRevoked(titleOf(revoked))}</span>
          <button type="button" class="plain" onClick={() => void change(() => restore(revoked), null)}>{t.undo}</button>
        </p>
      )}
      {revoked && need && <PresenceCheck key={revoked.id} need={need} confirm={async (presence) => { await restore(revoked, presence); await change(async () => undefined, null); }} />}
      {isLoaded && shown.length === 0 && <p class="nothing">{t.noPermissions}</p>}
      {shown.length > 0 && (
        <div class="rule-table" role="table" aria-labelledby="standing">
          <div role="row" class="heading">
            {[t.ruleWhat, t.ruleWhere, t.ruleWho, t.ruleUntil, t.ruleUsed].map((name) => <span key={name} role="columnheader">{name}</span>)}
            <span role="columnheader"><span class="unseen">{t.removeRule}</span></span>
          </div>
          {shown.map((one) => <Row key={`${one.kind} ${one.id}`} permission={one} remove={() => void change(() => revoke(one), one)} />)}
        </div>
      )}
    </section>
  );
}

/** What it allows or forbids, in a few words. */
function titleOf({ kind, rule, name, exactly }: Permission): string {
  const t = texts.value;
  if (kind === "consent") return visible(t.permission.consent(name, exactly));
  if (kind === "browser") return visible(t.permission.browser(name));
  if (kind === "agent") return visible(t.permission.agent(name));
  if (kind === "policy") return t.permission.policy;
  const target = rule ? targetOf(rule) : "";
  const [tool, ...others] = toolsIn(rule?.tool);
  const act = tool ? actOf(tool) : "use";
  const areAlike = others.every((other) => actOf(other) === act);
  if (tool && tool !== "*" && act !== "use" && areAlike) return visible(t.acts.asks[act]({ object: target || t.everything, ...(typedText(rule?.command ?? "") === undefined ? {} : { kind: "input" }) }).replace(/[?？吗]+$/, ""));
  const deed = rule?.effect ? t.deeds[rule.effect]?.name : tool && tool !== "*" ? toolsIn(rule?.tool).join(", ") : "";
  return visible([deed, target].filter(Boolean).join(" · ") || t.everything);
}

function Row({ permission, remove }: { permission: Permission; remove: () => void }) {
  const t = texts.value;
  const { kind, rule, exactly, project, who, until, hasEnded, used, lastUsed, since, isInUse } = permission;
  const title = titleOf(permission);
  const decision = rule?.decision ?? "allow";
  return (
    <div role="row" class={hasEnded ? "ended" : ""}>
      <span role="cell" class="what">
        <span class="tags">{decision !== "allow" && <Chip text={t.decisions[decision] ?? decision} colour={decision === "deny" ? "bad" : "ask"} />}<strong>{title}</strong></span>
        {exactly && <code><Visible text={exactly} /></code>}
      </span>
      <span role="cell" data-label={t.ruleWhere} title={project && visible(project)}><Visible text={project ? projectName(project) : kind === "browser" ? t.permission.itsPages : t.everyProject} /></span>
      <span role="cell" data-label={t.ruleWho}><Visible text={who ? agentLook(who).name : t.everyAgent} /></span>
      <span role="cell" data-label={t.ruleUntil}>{hasEnded ? kind === "consent" ? t.permission.changed : t.ended : kind === "task" ? t.endOfTask : until ? <Moment at={until} isShort /> : t.noEnd}{since !== undefined && !hasEnded && <small class="sub">{t.permission.since} <Moment at={since} isShort /></small>}</span>
      <span role="cell" data-label={t.ruleUsed}>{used === undefined ? (isInUse ? t.permission.now : "–") : t.times(used)}{lastUsed && <small class="sub"><Moment at={lastUsed} isShort /></small>}</span>
      <span role="cell"><button type="button" class="plain" aria-label={t.removeRuleOf(title)} onClick={remove}>{t.removeRule}</button></span>
    </div>
  );
}
