import type { Client } from "../actions";
import { agentLook } from "../../../logic/agents";
import { AgentMark } from "../../../ui/Agent";
import { words } from "../words";

interface Props {
  client: Client;
  isChosen: boolean;
  isBusy: boolean;
  choose: () => void;
  connect: () => void;
  disconnect: () => void;
}

export function ClientRow({ client, isChosen, isBusy, choose, connect, disconnect }: Props) {
  const t = words.value;
  const state = client.trouble ? t.unreadable : client.connected ? t.connected : client.found ? t.found : t.notFound;
  return (
    <li data-chosen={isChosen}>
      <button type="button" class="client-name" aria-pressed={isChosen} onClick={choose}>
        <AgentMark {...agentLook(client.title)} />
        <span><strong>{client.title}</strong> <span class="sub">{state}</span></span>
        <span class="sub">{covers(client)}</span>
      </button>
      {client.connected ? (
        <button type="button" class="plain" disabled={isBusy} aria-label={t.disconnectName(client.title)} onClick={disconnect}>{t.disconnect}</button>
      ) : (
        <button type="button" class={isChosen ? "primary" : "plain"} disabled={isBusy || client.trouble !== ""} aria-label={t.connectName(client.title)} onClick={isChosen ? connect : choose}>
          {isBusy ? t.connecting : t.connect}
        </button>
      )}
    </li>
  );
}

/** How far this client is, or would be, covered: tools, hooks, cage. */
function covers({ connected, hooks, cage }: Client): string {
  const t = words.value;
  const coverage = { on: t.withHooks, untrusted: t.untrustedHooks, off: connected ? t.couldHook : t.withHooks, unsupported: t.toolsOnly }[hooks];
  return cage === "full" || cage === "narrow" ? `${coverage} · ${t.caged[cage]}` : coverage;
}
