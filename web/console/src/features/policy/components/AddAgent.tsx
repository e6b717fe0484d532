import { useState } from "preact/hooks";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { fieldErrorsOf, messageOf } from "../../../shell/failure";
import { announcement, texts } from "../../../store";
import { CodeBlock } from "../../../ui/CodeBlock";
import { Field } from "../../../ui/Field";
import { focusOnce } from "../../../ui/focus";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { addAgent, type IssuedToken } from "../actions";

/** Gives a new agent a token, with proof of presence; it is shown once and stored nowhere. */
export function AddAgent({ added }: { added: () => void }) {
  const t = texts.value.agents;
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const [need, setNeed] = useState<{ need: PresenceNeed; name: string } | null>(null);
  const [issued, setIssued] = useState<IssuedToken | null>(null);

  async function issue(name: string, presence?: object): Promise<void> {
    setIssued(await addAgent(name, presence));
    setNeed(null);
    setName("");
    announcement.value = t.issued(name);
    added();
  }

  async function submit(): Promise<void> {
    setError("");
    setNeed(null);
    try {
      await issue(name.trim());
    } catch (failure) {
      const need = presenceNeed(failure);
      if (need) setNeed({ need, name: name.trim() });
      else setError(fieldErrorsOf(failure).get("name") ?? messageOf(failure));
    }
  }

  return (
    <section class="card" aria-labelledby="agents">
      <h2 id="agents">{t.title}</h2>
      <p class="sub">{t.hint}</p>
      {issued ? <Issued issued={issued} done={() => setIssued(null)} /> : (
        <form class="add-agent" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
          <Field label={t.name} value={name} onInput={setName} description={t.nameHint} problem={error || undefined} />
          {need ? (
            <PresenceCheck key={need.name} need={need.need} confirm={(presence) => issue(need.name, presence)} />
          ) : (
            <p class="row"><button type="submit" class="plain" disabled={name.trim() === ""}>{t.issue}</button></p>
          )}
        </form>
      )}
    </section>
  );
}

function Issued({ issued, done }: { issued: IssuedToken; done: () => void }) {
  const t = texts.value.agents;
  const address = `${location.origin}/mcp`;
  const settings = JSON.stringify({ mcpServers: { handrail: { type: "http", url: address, headers: { Authorization: `Bearer ${issued.token}` } } } }, null, 2);
  return (
    <div class="question" role="group" aria-label={t.issued(issued.name)}>
      <p><strong>{t.issued(issued.name)}</strong> {t.once}</p>
      <CodeBlock text={issued.token} language={t.token} />
      <p class="sub">{t.useIt}</p>
      <CodeBlock text={settings} language="json" />
      <p class="row"><button type="button" class="primary" ref={focusOnce} onClick={done}>{t.done}</button></p>
    </div>
  );
}
