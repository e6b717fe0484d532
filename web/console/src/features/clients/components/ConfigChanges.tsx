import { written, type Client } from "../actions";
import { CodeBlock } from "../../../ui/CodeBlock";
import { Visible } from "../../../ui/Visible";
import { words } from "../words";

/** Everything that connecting this client writes. */
export function ConfigChanges({ client }: { client: Client }) {
  const t = words.value;
  return (
    <section class="client-written" aria-label={client.title}>
      <h2>{client.connected ? t.wasWritten : t.willWrite}</h2>
      {client.trouble ? <p class="problem"><Visible text={client.trouble} /></p> : <CodeBlock text={written(client.edits)} language={client.title} />}
      {client.hooks === "untrusted" && <p class="problem">{t.untrusted}</p>}
      {!client.tried && <p class="sub">{t.notTried}</p>}
      {client.note && <p class="sub">{client.note}</p>}
    </section>
  );
}
