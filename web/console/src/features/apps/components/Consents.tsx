import { useState } from "preact/hooks";
import { revokeConsent } from "../actions";
import { answererName } from "../../people/answerers";
import { agentLook } from "../../../logic/agents";
import { messageOf } from "../../../shell/failure";
import type { Consent } from "../logic/apps";
import { visible } from "../../../logic/visible";
import { announcement } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { words } from "../words";

interface ConsentsProps {
  consents: readonly Consent[];
  setConsents: (consents: Consent[]) => void;
  isOfOneApp?: boolean;
}

/** What is always allowed, each with a way to revoke it. */
export function Consents({ consents, setConsents, isOfOneApp = false }: ConsentsProps) {
  const t = words.value;
  const [error, setError] = useState("");

  async function revoke(id: string): Promise<void> {
    setError("");
    try {
      setConsents(await revokeConsent(id));
      announcement.value = t.revoked;
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <>
      {error && <p class="problem" role="alert">{error}</p>}
      {consents.length === 0 && <p class="sub">{t.noConsents}</p>}
      {consents.map((consent) => {
        const what = [isOfOneApp ? "" : consent.appName, consent.tool ?? t.allTools].filter(Boolean).join(" · ");
        const who = visible(agentLook(consent.caller).name);
        return (
          <div key={consent.id} class="entry consent">
            <div class="entry-head">
              <span class="entry-title"><Visible text={what} /> {!consent.valid && <Chip text={t.void} colour="bad" />}</span>
              <span class="sub">{t.mayCall(who, visible(answererName(consent.by)))} · <Moment at={consent.at} /></span>
              {!consent.valid && <span class="sub">{t.voidHint}</span>}
            </div>
            <button type="button" class="plain" aria-label={t.revokeOf(visible(what), who)} onClick={() => void revoke(consent.id)}>{t.revoke}</button>
          </div>
        );
      })}
    </>
  );
}
