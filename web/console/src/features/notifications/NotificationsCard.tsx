import { HostError } from "@handrail/host";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../shell/failure";
import { Chip } from "../../ui/Chip";
import { Field } from "../../ui/Field";
import { Moment } from "../../ui/Moment";
import { Visible } from "../../ui/Visible";
import { browserName } from "../browser/logic/browsers";
import { addChannel, forgetBrowser, notifyHere, ownId, readNotifications, removeChannel, tryBrowser, tryChannel, type Channel, type Notifications } from "./actions";
import { hasPush } from "./worker";
import { words } from "./words";

type Change = (work: () => Promise<Notifications>, done?: string) => Promise<boolean>;

/** Who is notified of pending approvals: browsers by Web Push, and channels. */
export function NotificationsCard() {
  const t = words.value;
  const [shown, setShown] = useState<Notifications | null>(null);
  const [own, setOwn] = useState("");
  const [status, setStatus] = useState("");
  const [error, setError] = useState("");

  const change: Change = async (work, done = "") => {
    setStatus("");
    setError("");
    try {
      setShown(await work());
      setOwn(await ownId());
      setStatus(done);
      return true;
    } catch (failure) {
      const isMissing = failure instanceof HostError && failure.code === "NOT_FOUND" && shown === null;
      setError(isMissing ? t.notInstalled : Notification.permission === "denied" && work === notifyHere ? t.blocked : messageOf(failure));
      return false;
    }
  };
  useEffect(() => void change(readNotifications), []);

  return (
    <section class="card">
      <h2>{t.title}</h2>
      {shown && <p class="sub">{t.about(shown.afterSeconds)}</p>}
      {shown && <Browsers shown={shown} own={own} change={change} />}
      {shown && <Channels shown={shown} change={change} />}
      <p role="status">{status}</p>
      {error && <p class="problem" role="alert">{error}</p>}
    </section>
  );
}

function Browsers({ shown, own, change }: { shown: Notifications; own: string; change: Change }) {
  const t = words.value;
  const isHere = shown.browsers.some(({ id }) => id === own);
  return (
    <>
      <h3>{t.browsers}</h3>
      {shown.browsers.length === 0 && <p class="nothing">{t.noBrowser}</p>}
      <ul class="browsers">
        {shown.browsers.map(({ id, userAgent, createdAt }) => (
          <li key={id}>
            <span class="browser">
              <span class="tags"><Visible text={browserName(userAgent) || t.unknownBrowser} />{id === own && <Chip text={t.thisOne} colour="good" />}</span>
              <span class="sub">{t.since} <Moment at={createdAt} /></span>
            </span>
            <button type="button" class="plain" onClick={() => void change(() => tryBrowser(id), t.tested)}>{t.test}</button>
            <button type="button" class="plain" onClick={() => void change(() => forgetBrowser(id))}>{t.turnOff}</button>
          </li>
        ))}
      </ul>
      {isHere && <p class="sub">{t.isNotifiedHere}</p>}
      {!isHere && !shown.canPush && <p class="sub">{t.noKey}</p>}
      {!isHere && shown.canPush && !hasPush() && <p class="sub">{t.noPush}</p>}
      {!isHere && shown.canPush && hasPush() && <p class="row"><button type="button" class="plain" onClick={() => void change(notifyHere)}>{t.notifyHere}</button></p>}
    </>
  );
}

function Channels({ shown, change }: { shown: Notifications; change: Change }) {
  const t = words.value;
  return (
    <>
      <h3>{t.channels}</h3>
      {shown.channels.length === 0 && <p class="nothing">{shown.hasOwnChannels ? t.noChannel : t.fromFile}</p>}
      <ul class="browsers">
        {shown.channels.map((channel) => <ChannelRow key={channel.name} channel={channel} canRemove={shown.hasOwnChannels} change={change} />)}
      </ul>
      {shown.hasOwnChannels && <NewChannel change={change} />}
    </>
  );
}

function ChannelRow({ channel: { name, last }, canRemove, change }: { channel: Channel; canRemove: boolean; change: Change }) {
  const t = words.value;
  return (
    <li>
      <span class="browser">
        <span class="tags"><Visible text={name} />{last && <Chip text={last.ok ? t.sent : t.failed} colour={last.ok ? "good" : "bad"} />}</span>
        <span class="sub">{last ? <Moment at={last.at} /> : t.never}</span>
        {last?.error && <span class="sub"><Visible text={last.error} /></span>}
      </span>
      <button type="button" class="plain" aria-label={`${t.test}: ${name}`} onClick={() => void change(() => tryChannel(name), t.tested)}>{t.test}</button>
      {canRemove && <button type="button" class="plain" aria-label={`${t.remove}: ${name}`} onClick={() => void change(() => removeChannel(name))}>{t.remove}</button>}
    </li>
  );
}

function NewChannel({ change }: { change: Change }) {
  const t = words.value;
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    if (!(await change(() => addChannel(name.trim(), address.trim())))) return;
    setName("");
    setAddress("");
  }
  return (
    <form class="stack" onSubmit={(event) => void add(event)}>
      <Field label={t.name} placeholder={t.nameHint} value={name} onInput={setName} />
      <Field label={t.address} kind="secret" description={t.addressHint} value={address} onInput={setAddress} />
      <p class="row"><button class="plain" disabled={!name.trim() || !address.trim()}>{t.add}</button></p>
    </form>
  );
}
