import type { Client } from "../actions";
import { Visible } from "../../../ui/Visible";
import { OtherServer } from "./OtherServer";
import { words } from "../words";

interface Props {
  client: Client;
  /** The client after one of its servers was moved. */
  changed: (client: Client, words: string) => void;
}

/** A client's other MCP servers: each can be moved behind handrail, after a look at what it offers. */
export function OtherServers({ client, changed }: Props) {
  const t = words.value;
  if (client.otherServers.length === 0 && client.moved.length === 0) return null;
  return (
    <section class="client-servers" aria-label={t.otherServers}>
      <h2>{t.otherServers}</h2>
      <p class="sub">{client.connected ? t.otherServersHint(client.title) : t.connectFirst(client.title)}</p>
      <ul class="client-list">
        {client.otherServers.map((name) => <OtherServer key={name} client={client} name={name} changed={changed} />)}
        {client.moved.map(({ name, keptIn }) => (
          <li key={name}>
            <span class="client-name"><strong><Visible text={name} /></strong><span class="sub">{t.keptIn[keptIn]}</span></span>
            <span class="sub">{t.isBehind}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
