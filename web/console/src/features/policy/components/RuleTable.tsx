import { useState } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { projectName } from "../../../shell/projects";
import { announcement, texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { removeRule, restoreRule, type Agent, type UserRule } from "../actions";

interface RuleTableProps {
  rules: UserRule[];
  agents: Agent[];
  isLoaded: boolean;
  changed: () => void;
}

/** What you have allowed or denied beyond one call. A revocation counts for the next call, and can be undone for a while. */
export function RuleTable({ rules, agents, isLoaded, changed }: RuleTableProps) {
  const t = texts.value;
  const [error, setError] = useState("");
  const [revoked, setRevoked] = useState<{ id: string; name: string } | null>(null);

  async function change(work: () => Promise<unknown>, now: { id: string; name: string } | null): Promise<void> {
    setError("");
    try {
      await work();
      setRevoked(now);
      announcement.value = now ? t.ruleRevoked(now.name) : t.ruleRestored;
    } catch (failure) {
      setError(messageOf(failure));
    }
    changed();
  }

  return (
    <section class="card flush" aria-labelledby="your-rules">
      <h2 id="your-rules">{t.userRules}</h2>
      {error && <p class="problem" role="alert">{error}</p>}
      {revoked && (
        <p class="row revoked" role="status">
          <span>{t.ruleRevoked(revoked.name)}</span>
          <button type="button" class="plain" onClick={() => void change(() => restoreRule(revoked.id), null)}>{t.undo}</button>
        </p>
      )}
      {isLoaded && rules.length === 0 && <p class="nothing">{t.noUserRules}</p>}
      {rules.length > 0 && (
        <div class="rule-table" role="table" aria-labelledby="your-rules">
          <div role="row" class="heading">
            {[t.ruleWhat, t.ruleWhere, t.ruleWho, t.ruleUntil, t.ruleUsed].map((name) => <span key={name} role="columnheader">{name}</span>)}
            <span role="columnheader"><span class="unseen">{t.removeRule}</span></span>
          </div>
          {rules.map((rule) => {
            const { title, tools } = wordsOf(rule);
            return <RuleRow key={rule.id} rule={rule} agents={agents} remove={() => void change(() => removeRule(rule.id), { id: rule.id, name: visible(`${title} ${tools}`) })} />;
          })}
        </div>
      )}
    </section>
  );
}

function wordsOf(rule: UserRule): { title: string; tools: string } {
  const t = texts.value;
  const target = [rule.path, rule.place, rule.host, rule.app, rule.command, rule.server].filter(Boolean).join(" · ");
  return { title: target || t.everything, tools: rule.tool ?? t.effects[rule.effect ?? ""] ?? rule.effect ?? "" };
}

function RuleRow({ rule, agents, remove }: { rule: UserRule; agents: Agent[]; remove: () => void }) {
  const t = texts.value;
  const { title, tools } = wordsOf(rule);
  const who = agents.find(({ identity }) => identity === rule.agent)?.name ?? rule.caller ?? rule.agent ?? t.everyAgent;
  return (
    <div role="row" class={rule.hasEnded ? "ended" : ""}>
      <span role="cell" class="what">
        <span class="tags">{rule.decision !== "allow" && <Chip text={t.decisions[rule.decision] ?? rule.decision} colour={rule.decision === "deny" ? "bad" : "ask"} />}<strong><Visible text={title} /></strong></span>
        <code><Visible text={tools} /></code>
      </span>
      <span role="cell" data-label={t.ruleWhere} title={rule.project && visible(rule.project)}><Visible text={rule.project ? projectName(rule.project) : t.everyProject} /></span>
      <span role="cell" data-label={t.ruleWho}><Visible text={who} /></span>
      <span role="cell" data-label={t.ruleUntil}>{rule.hasEnded ? t.ended : <Visible text={rule.task ? t.endOfTask : (rule.until ?? t.noEnd)} />}</span>
      <span role="cell" data-label={t.ruleUsed}>{t.times(rule.used ?? 0)}{rule.lastUsed && <small class="sub"><Moment at={rule.lastUsed} isShort /></small>}</span>
      <span role="cell"><button type="button" class="plain" aria-label={t.removeRuleOf(visible(`${tools} ${title}`))} onClick={remove}>{t.removeRule}</button></span>
    </div>
  );
}
