import { agentLook } from "../logic/agents";
import { visible } from "../logic/visible";

/** An agent's mark and name. */
export function Agent({ name }: { name: string }) {
  const { name: shown, letter, colour } = agentLook(name);
  return <span class="agent-name" title={visible(name)}><AgentMark letter={letter} colour={colour} />{visible(shown)}</span>;
}

export function AgentMark({ letter, colour }: { letter: string; colour: string }) {
  return <svg class="agent-mark" viewBox="0 0 22 22" aria-hidden="true"><rect width="22" height="22" rx="6" fill={colour} /><text x="11" y="15.2" text-anchor="middle" fill="#fff">{letter}</text></svg>;
}
