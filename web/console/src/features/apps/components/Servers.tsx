import { texts } from "../../../store";
import { InlineCode } from "../../../ui/InlineCode";
import { Visible } from "../../../ui/Visible";
import type { Server } from "../logic/apps";
import { words } from "../words";

/** The MCP servers behind the gate. A terminal adds, reviews and removes them, because adding one starts its program. */
export function Servers({ servers }: { servers: readonly Server[] }) {
  const t = words.value;
  return (
    <section class="surface" aria-label={t.servers}>
      <h2>{t.servers}</h2>
      {servers.map(({ name, place, tools, reads }) => (
        <div key={name} class="entry">
          <div class="entry-head">
            <span class="entry-title"><Visible text={name} /></span>
            <span class="sub">{t.tools(tools)} · {t.withoutAsking(reads)}</span>
            <span class="mono sub"><Visible text={place} /></span>
          </div>
        </div>
      ))}
      <p class="sub">{servers.length === 0 && `${t.noServers}${texts.value.betweenSentences}`}<InlineCode text={t.serversHint} /></p>
    </section>
  );
}
