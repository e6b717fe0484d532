import type { Client } from "../actions";
import { CodeBlock } from "../../../ui/CodeBlock";
import { words } from "../words";

/** How to start a client in the cage, and how well that confines it on this machine. */
export function Confine({ client: { name, cage } }: { client: Client }) {
  const t = words.value;
  if (cage === "unsupported") return null;
  return (
    <section class="client-written" aria-label={t.confine}>
      <h2>{t.confine}</h2>
      <p class="sub">{t.cage[cage]}</p>
      {cage !== "none" && <CodeBlock text={`handrail run -- ${name}`} language="sh" />}
    </section>
  );
}
