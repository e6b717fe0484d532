import { useRef, useState } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { announcement, texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { focusOnce } from "../../../ui/focus";
import { Moment } from "../../../ui/Moment";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";
import { readConsents, removeAgent, type Agent, type UserRule } from "../actions";
import { AddAgent } from "./AddAgent";

interface AgentsProps {
  agents: Agent[];
  rules: UserRule[];
  isLoaded: boolean;
  replace: (agents: Agent[]) => void;
  changed: () => void;
}

/** The agents that connect over HTTP, each with a token of its own. */
export function Agents({ agents, rules, isLoaded, replace, changed }: AgentsProps) {
  const t = texts.value.agents;
  const { data: consents } = useLoaded(readConsents);
  const [error, setError] = useState("");

  async function revoke(agent: Agent): Promise<void> {
    setError("");
    try {
      replace(await removeAgent(agent.id));
      announcement.value = t.revoked(visible(agent.name));
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <section class="card" aria-labelledby="agents">
      <h2 id="agents">{t.title}</h2>
      <p class="sub">{t.hint}</p>
      {isLoaded && agents.length === 0 && <p class="nothing">{t.none}</p>}
      <ul class="agents">
        {agents.map((agent) => (
          <AgentRow
            key={agent.id}
            agent={agent}
            rules={rules.filter((rule) => rule.agent === agent.identity).length}
            consents={(consents ?? []).filter(({ caller }) => caller === agent.identity).length}
            revoke={() => revoke(agent)}
          />
        ))}
      </ul>
      {error && <p class="problem" role="alert">{error}</p>}
      <AddAgent added={changed} />
    </section>
  );
}

function AgentRow({ agent, rules, consents, revoke }: { agent: Agent; rules: number; consents: number; revoke: () => Promise<void> }) {
  const t = texts.value.agents;
  const [isAsking, setIsAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const name = visible(agent.name);

  function keep(): void {
    setIsAsking(false);
    requestAnimationFrame(() => opener.current?.focus());
  }

  return (
    <li>
      <div class="agent">
        <span class="tags"><strong><Visible text={agent.name} /></strong>{rules > 0 && <Chip text={t.rules(rules)} />}{consents > 0 && <Chip text={t.consents(consents)} />}</span>
        <span class="sub">{t.added} <Moment at={agent.createdAt} /> · {agent.lastSeen ? <>{t.lastUsed} <Moment at={agent.lastSeen} /></> : t.notUsed}</span>
        <span class="sub"><code><Visible text={agent.identity} /></code></span>
      </div>
      {!isAsking && <button type="button" ref={opener} class="plain" aria-label={t.revokeOf(name)} onClick={() => setIsAsking(true)}>{t.revoke}</button>}
      {isAsking && (
        <div class="question" role="group" aria-label={t.revokeOf(name)}>
          <p>{t.revokeWarning(name)}</p>
          <p class="row">
            <button type="button" class="primary" ref={focusOnce} onClick={() => void revoke()}>{t.revoke}</button>
            <button type="button" class="plain" onClick={keep}>{texts.value.cancel}</button>
          </p>
        </div>
      )}
    </li>
  );
}
