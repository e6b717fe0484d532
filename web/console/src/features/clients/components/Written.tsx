import { written, type Client } from "../actions";
import { texts } from "../../../store";
import { CodeBlock } from "../../../ui/CodeBlock";
import { Visible } from "../../../ui/Visible";

/** Everything that connecting this client writes, as it is written. */
export function Written({ client }: { client: Client }) {
  const t = texts.value.clients;
  return (
    <section class="client-written" aria-label={client.title}>
      <h2>{client.connected ? t.wasWritten : t.willWrite}</h2>
      {client.trouble ? <p class="problem"><Visible text={client.trouble} /></p> : <CodeBlock text={written(client.edits)} language={client.title} />}
      {!client.tried && <p class="sub">{t.notTried}</p>}
      {client.note && <p class="sub">{client.note}</p>}
      {client.otherServers.length > 0 && (
        <>
          <p class="sub"><Visible text={t.otherServers(client.title, client.otherServers.join(", "))} /> {t.otherServersHint}</p>
          <CodeBlock text={`handrail connect ${client.name} --move ${client.otherServers[0]}`} language="sh" />
        </>
      )}
    </section>
  );
}
