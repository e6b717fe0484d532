import { useState } from "preact/hooks";
import { readPairings, revokePairing, type Pairing } from "../actions";
import { messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Moment } from "../../../ui/Moment";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";

/** The extensions that may connect with a token of their own, until a person takes it back. */
export function PairedBrowsers() {
  const t = texts.value.browser;
  const { data: pairings, error: unread, replace } = useLoaded(readPairings);
  const [told, setTold] = useState("");
  const [error, setError] = useState("");

  async function revoke(clientId: string): Promise<void> {
    setTold("");
    setError("");
    try {
      replace(await revokePairing(clientId));
      setTold(t.revoked);
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <>
      <h3>{t.pairedExtensions}</h3>
      {pairings?.length === 0 && <p class="sub">{t.noPairings}</p>}
      <ul class="browsers">{pairings?.map((pairing) => <PairingRow key={pairing.clientId} pairing={pairing} revoke={() => void revoke(pairing.clientId)} />)}</ul>
      <p role="status">{told}</p>
      {(error || unread) && <p class="problem" role="alert">{error || unread}</p>}
    </>
  );
}

function PairingRow({ pairing, revoke }: { pairing: Pairing; revoke: () => void }) {
  const t = texts.value.browser;
  const name = pairing.name || pairing.clientId;
  return (
    <li>
      <span class="browser">
        <span class="tags"><Visible text={name} />{pairing.socketConnected && <Chip text={t.health.connected} colour="good" />}</span>
        <span class="sub">{t.pairedAt} <Moment at={pairing.createdAt} /></span>
        <span class="sub"><Visible text={pairing.clientId} /></span>
      </span>
      <button type="button" class="plain" aria-label={t.revokeOf(visible(name))} onClick={revoke}>{t.revoke}</button>
    </li>
  );
}
