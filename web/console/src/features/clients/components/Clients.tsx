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
import { SampleApproval } from "./SampleApproval";
import { ConfigChanges } from "./ConfigChanges";
import "../clients.css";
import { words } from "../words";

/** The AI clients on this machine: what connecting one writes, how far each is covered, and whether a call has arrived. */
export function Clients() {
  const t = texts.value;
  const { data, error, replace } = useLoaded(readClients);
  const [chosen, setChosen] = useState("");
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const [message, setMessage] = useState("");
  const [isLong, setIsLong] = useState(false);

  const all = data?.clients ?? [];
  const near = all.filter((client) => client.found || client.connected || client.trouble);
  const far = all.filter((client) => !near.includes(client));
  const shown = all.find(({ name }) => name === chosen) ?? near.find((client) => !client.connected && !client.trouble) ?? near[0];

  async function change(client: Client, work: () => Promise<{ client: Client; message: string }>): Promise<void> {
    setBusy(client.name);
    setChosen(client.name);
    setProblem("");
    try {
      const result = await work();
      setMessage(result.message);
      announcement.value = result.message;
      if (data) replace({ ...data, clients: data.clients.map((one) => (one.name === client.name ? result.client : one)) });
    } catch (failure) {
      setMessage("");
      setProblem(messageOf(failure));
      await readClients().then(replace, () => undefined);
    }
    setBusy("");
  }
  const connect = (client: Client): Promise<void> => change(client, async () => {
    const result = await connectClient(client);
    const messages = [words.value.done(client.title, result.tools), ...(result.runsHooks === false ? [words.value.untrusted] : []), words.value.restart(client.title)];
    return { client: result.client, message: messages.join(t.betweenSentences) };
  });
  const disconnect = (client: Client): Promise<void> => change(client, async () => {
    const result = await disconnectClient(client);
    return { client: result.client, message: [words.value.gone(client.title), ...result.left.map(words.value.left)].join(t.betweenSentences) };
  });

  const moved = (client: Client, message: string): void => void change(client, async () => ({ client, message }));

  const rows = (list: readonly Client[]) => (
    <ul class="client-list">
      {list.map((client) => (
        <ClientRow key={client.name} client={client} isChosen={client === shown} isBusy={busy === client.name}
          choose={() => { setChosen(client.name); setMessage(""); setProblem(""); }} connect={() => void connect(client)} disconnect={() => void disconnect(client)} />
      ))}
    </ul>
  );
  return (
    <>
      <PageHead title={words.value.title} sub={words.value.intro} />
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={words.value.title}>
        {error && <p class="problem" role="alert">{error}</p>}
        {!data && !error && <p class="nothing">{t.loading}</p>}
        {data && (
          <div class="clients">
            <div>
              {near.length > 0 && rows(near)}
              {far.length > 0 && (near.length === 0 || isLong ? rows(far) : <button type="button" class="quiet" onClick={() => setIsLong(true)}>{words.value.showOthers(far.length)}</button>)}
              <section class="card another-client">
                <h2>{words.value.anotherClient}</h2>
                <p class="sub">{words.value.anotherHint}</p>
                <CodeBlock text={data.command} language="sh" />
              </section>
            </div>
            <div>
              {problem && <p class="problem" role="alert">{problem}</p>}
              {message && <p class="good">{message}</p>}
              {shown ? <ConfigChanges client={shown} /> : <p class="nothing">{words.value.chooseOne}</p>}
              <FirstCall />
              <SampleApproval />
              {shown && <OtherServers key={shown.name} client={shown} changed={moved} />}
              {shown && <Confine client={shown} />}
            </div>
          </div>
        )}
      </div>
    </>
  );
}
