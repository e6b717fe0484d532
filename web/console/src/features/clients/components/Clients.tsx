import { useState } from "preact/hooks";
import { connectClient, disconnectClient, readClients, type Client } from "../actions";
import { messageOf } from "../../../shell/failure";
import { announcement, texts } from "../../../store";
import { CodeBlock } from "../../../ui/CodeBlock";
import { PageHead } from "../../../ui/PageHead";
import { useLoaded } from "../../../ui/useLoaded";
import { ClientRow } from "./ClientRow";
import { Confine } from "./Confine";
import { FirstCall } from "./FirstCall";
import { OtherServers } from "./OtherServers";
import { Sample } from "./Sample";
import { Written } from "./Written";
import "../clients.css";

/** The AI clients on this machine: what connecting one writes, how far each is covered, and whether a call has arrived. */
export function Clients() {
  const t = texts.value;
  const { data, error, replace } = useLoaded(readClients);
  const [chosen, setChosen] = useState("");
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const [told, setTold] = useState("");
  const [isLong, setIsLong] = useState(false);

  const all = data?.clients ?? [];
  const near = all.filter((client) => client.found || client.connected || client.trouble);
  const far = all.filter((client) => !near.includes(client));
  const shown = all.find(({ name }) => name === chosen) ?? near.find((client) => !client.connected && !client.trouble) ?? near[0];

  async function change(client: Client, work: () => Promise<{ client: Client; words: string }>): Promise<void> {
    setBusy(client.name);
    setChosen(client.name);
    setProblem("");
    try {
      const done = await work();
      setTold(done.words);
      announcement.value = done.words;
      if (data) replace({ ...data, clients: data.clients.map((one) => (one.name === client.name ? done.client : one)) });
    } catch (failure) {
      setTold("");
      setProblem(messageOf(failure));
      await readClients().then(replace, () => undefined);
    }
    setBusy("");
  }
  const connect = (client: Client): Promise<void> => change(client, async () => {
    const done = await connectClient(client);
    const words = [t.clients.done(client.title, done.tools), ...(done.runsHooks === false ? [t.clients.untrusted] : []), t.clients.restart(client.title)];
    return { client: done.client, words: words.join(" ") };
  });
  const disconnect = (client: Client): Promise<void> => change(client, async () => {
    const done = await disconnectClient(client);
    return { client: done.client, words: [t.clients.gone(client.title), ...done.left.map(t.clients.left)].join(" ") };
  });

  const moved = (client: Client, words: string): void => void change(client, async () => ({ client, words }));

  const rows = (list: readonly Client[]) => (
    <ul class="client-list">
      {list.map((client) => (
        <ClientRow key={client.name} client={client} isChosen={client === shown} isBusy={busy === client.name}
          choose={() => { setChosen(client.name); setTold(""); setProblem(""); }} connect={() => void connect(client)} disconnect={() => void disconnect(client)} />
      ))}
    </ul>
  );
  return (
    <>
      <PageHead title={t.clients.title} sub={t.clients.intro} />
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.clients.title}>
        {error && <p class="problem" role="alert">{error}</p>}
        {!data && !error && <p class="nothing">{t.loading}</p>}
        {data && (
          <div class="clients">
            <div>
              {near.length > 0 && rows(near)}
              {far.length > 0 && (near.length === 0 || isLong ? rows(far) : <button type="button" class="quiet" onClick={() => setIsLong(true)}>{t.clients.showOthers(far.length)}</button>)}
              <section class="card another-client">
                <h2>{t.clients.anotherClient}</h2>
                <p class="sub">{t.clients.anotherHint}</p>
                <CodeBlock text={data.command} language="sh" />
              </section>
            </div>
            <div>
              {problem && <p class="problem" role="alert">{problem}</p>}
              {told && <p class="good">{told}</p>}
              {shown ? <Written client={shown} /> : <p class="nothing">{t.clients.chooseOne}</p>}
              <FirstCall />
              <Sample />
              {shown && <OtherServers key={shown.name} client={shown} changed={moved} />}
              {shown && <Confine client={shown} />}
            </div>
          </div>
        )}
      </div>
    </>
  );
}
