import { useState } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Visible } from "../../../ui/Visible";
import { removeRule, type Agent, type UserRule } from "../actions";

/** What you have allowed or denied beyond one call. Removing one counts for the next call. */
export function RuleTable({ rules, agents, isLoaded, changed }: { rules: UserRule[]; agents: Agent[]; isLoaded: boolean; changed: () => void }) {
  const t = texts.value;
  const [error, setError] = useState("");
  const remove = (id: string): void => void removeRule(id).catch((failure: unknown) => setError(messageOf(failure))).then(changed);
  return (
    <section class="card flush" aria-labelledby="your-rules">
      <h2 id="your-rules">{t.userRules}</h2>
      {error && <p class="problem" role="alert">{error}</p>}
      {isLoaded && rules.length === 0 && <p class="nothing">{t.noUserRules}</p>}
      {rules.length > 0 && (
        <div class="rule-table" role="table" aria-labelledby="your-rules">
          <div role="row" class="heading">
            {[t.ruleWhat, t.ruleWhere, t.ruleWho, t.ruleUntil].map((name) => <span key={name} role="columnheader">{name}</span>)}
            <span role="columnheader"><span class="unseen">{t.removeRule}</span></span>
          </div>
          {rules.map((rule) => <RuleRow key={rule.id} rule={rule} agents={agents} remove={() => remove(rule.id)} />)}
        </div>
      )}
    </section>
  );
}

function RuleRow({ rule, agents, remove }: { rule: UserRule; agents: Agent[]; remove: () => void }) {
  const t = texts.value;
  const target = [rule.path, rule.place, rule.host, rule.app, rule.command, rule.server].filter(Boolean).join(" · ");
  const what = rule.tool ?? t.effects[rule.effect ?? ""] ?? rule.effect ?? "";
  const who = agents.find(({ identity }) => identity === rule.agent)?.name ?? rule.caller ?? rule.agent ?? t.everyAgent;
  return (
    <div role="row" class={rule.hasEnded ? "ended" : ""}>
      <span role="cell" class="what">
        <span class="tags">{rule.decision !== "allow" && <Chip text={t.decisions[rule.decision] ?? rule.decision} colour={rule.decision === "deny" ? "bad" : "ask"} />}<strong><Visible text={target || t.everything} /></strong></span>
        <code><Visible text={what} /></code>
      </span>
      <span role="cell" data-label={t.ruleWhere}><Visible text={rule.project ?? t.everyProject} /></span>
      <span role="cell" data-label={t.ruleWho}><Visible text={who} /></span>
      <span role="cell" data-label={t.ruleUntil}>{rule.hasEnded ? t.ended : <Visible text={rule.task ? t.endOfTask : (rule.until ?? t.noEnd)} />}</span>
      <span role="cell"><button type="button" class="plain" aria-label={t.removeRuleOf(visible(`${what} ${target}`))} onClick={remove}>{t.removeRule}</button></span>
    </div>
  );
}
