import { useState } from "preact/hooks";
import { enrollBrowser, readPairings, revokePairing, withdrawBrowser, type Pairing } from "../actions";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Moment } from "../../../ui/Moment";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";

/** Extensions that may connect with their own token, until a person revokes it. */
export function PairedBrowsers() {
  const t = texts.value.browser;
  const { data: pairings, error: unread, replace } = useLoaded(readPairings);
  const [told, setTold] = useState("");
  const [error, setError] = useState("");

  const [needed, setNeeded] = useState<{ need: PresenceNeed; clientId: string } | null>(null);

  async function change(work: () => Promise<Pairing[]>, done = ""): Promise<void> {
    setTold("");
    setError("");
    setNeeded(null);
    replace(await work());
    setTold(done);
  }

  const revoke = (clientId: string): void => void change(() => revokePairing(clientId), t.revoked).catch((failure: unknown) => setError(messageOf(failure)));
  const withdraw = (clientId: string): void => void change(() => withdrawBrowser(clientId)).catch((failure: unknown) => setError(messageOf(failure)));
  const enroll = (clientId: string): void =>
    void change(() => enrollBrowser(clientId)).catch((failure: unknown) => {
      const need = presenceNeed(failure);
      if (need) setNeeded({ need, clientId });
      else setError(messageOf(failure));
    });

  return (
    <>
      <h3>{t.pairedExtensions}</h3>
      {pairings?.length === 0 && <p class="sub">{t.noPairings}</p>}
      {pairings && pairings.length > 0 && <p class="sub">{t.enrollHint}</p>}
      <ul class="browsers">
        {pairings?.map((pairing) => {
          const { clientId } = pairing;
          return <PairingRow key={clientId} pairing={pairing} revoke={() => revoke(clientId)} enroll={() => enroll(clientId)} withdraw={() => withdraw(clientId)} />;
        })}
      </ul>
      {needed && <PresenceCheck key={needed.clientId} need={needed.need} confirm={(presence) => change(() => enrollBrowser(needed.clientId, presence))} />}
      <p role="status">{told}</p>
      {(error || unread) && <p class="problem" role="alert">{error || unread}</p>}
    </>
  );
}

function PairingRow({ pairing, revoke, enroll, withdraw }: { pairing: Pairing; revoke: () => void; enroll: () => void; withdraw: () => void }) {
  const t = texts.value.browser;
  const name = pairing.name || pairing.clientId;
  return (
    <li>
      <span class="browser">
        <span class="tags"><Visible text={name} />{pairing.socketConnected && <Chip text={t.health.connected} colour="good" />}{pairing.isEnrolled && <Chip text={t.confirms} colour="ui" />}</span>
        <span class="sub">{t.pairedAt} <Moment at={pairing.createdAt} /></span>
        <span class="sub"><Visible text={pairing.clientId} /></span>
      </span>
      <span class="row">
        {!pairing.isLaunched && (pairing.isEnrolled ? (
          <button type="button" class="plain" aria-label={t.withdrawOf(visible(name))} onClick={withdraw}>{t.withdraw}</button>
        ) : (
          <button type="button" class="plain" aria-label={t.enrollOf(visible(name))} onClick={enroll}>{t.enroll}</button>
        ))}
        <button type="button" class="plain" aria-label={t.revokeOf(visible(name))} onClick={revoke}>{t.revoke}</button>
      </span>
    </li>
  );
}
