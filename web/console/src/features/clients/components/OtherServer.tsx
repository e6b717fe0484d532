import { useState } from "preact/hooks";
import { lookAtServer, moveServer, type Client, type Offer } from "../actions";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { messageOf } from "../../../shell/failure";
import { Diff } from "../../../ui/Diff";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { Visible } from "../../../ui/Visible";
import { words } from "../words";

interface Props {
  client: Client;
  name: string;
  changed: (client: Client, words: string) => void;
}

/** One of the client's servers: first its tools in its own words, then the move, with proof of presence if needed. */
export function OtherServer({ client, name, changed }: Props) {
  const t = words.value;
  const [offer, setOffer] = useState<Offer | null>(null);
  const [need, setNeed] = useState<PresenceNeed | null>(null);
  const [asksAlways, setAsksAlways] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState("");

  async function work(step: () => Promise<void>): Promise<void> {
    setProblem("");
    setIsBusy(true);
    try {
      await step();
    } catch (failure) {
      const need = presenceNeed(failure);
      if (need) setNeed(need);
      else setProblem(messageOf(failure));
    } finally {
      setIsBusy(false);
    }
  }
  const look = (): Promise<void> => work(async () => setOffer(await lookAtServer(client, name)));
  const move = async (shown: Offer, presence?: object): Promise<void> => changed(await moveServer(client, name, shown, asksAlways, presence), t.moved(name));
  const leave = (): void => { setOffer(null); setNeed(null); setProblem(""); };

  return (
    <li>
      <span class="client-name"><strong><Visible text={name} /></strong>{offer && <span class="sub"><Visible text={offer.place} /></span>}</span>
      {!offer && <button type="button" class="plain" disabled={isBusy || !client.connected} aria-label={t.lookName(name)} onClick={() => void look()}>{isBusy ? t.looking : t.look}</button>}
      {(problem || offer) && (
        <div class="server-offer">
          {problem && <p class="problem" role="alert"><Visible text={problem} /></p>}
          {offer && (
            <>
              <p class="sub">{t.offers(offer.accepted.length)}</p>
              <Diff text={offer.diff} />
              {offer.withoutAsking.length > 0 && (
                <>
                  <p class="sub"><Visible text={t.withoutAsking(offer.withoutAsking.join(", "))} /></p>
                  <label class="row"><input type="checkbox" checked={asksAlways} disabled={need !== null} onChange={(event) => setAsksAlways(event.currentTarget.checked)} /> {t.askAlways}</label>
                </>
              )}
              {need && <PresenceCheck need={need} confirm={(presence) => move(offer, presence)} />}
              <p class="row">
                {!need && <button type="button" class="primary" disabled={isBusy} onClick={() => void work(() => move(offer))}>{t.move}</button>}
                <button type="button" class="quiet" disabled={isBusy} onClick={leave}>{t.notNow}</button>
              </p>
            </>
          )}
        </div>
      )}
    </li>
  );
}
