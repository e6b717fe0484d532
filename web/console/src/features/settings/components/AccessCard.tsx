import { useRef, useState } from "preact/hooks";
import { endSession, readAccess, renewToken } from "../actions";
import { focusOnce } from "../../../ui/focus";
import { signOut } from "../../../shell/session";
import { messageOf } from "../../../shell/failure";
import { browserName } from "../../browser/logic/browsers";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { type Access, type BrowserSession, type ServerToken } from "../actions";
import { PairedBrowsers } from "../../browser/components/PairedBrowsers";
import { Chip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { Moment } from "../../../ui/Moment";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";

/** Who has access: the API token and the signed-in browsers. Only a person sees it. */
export function AccessCard() {
  const t = texts.value;
  const { data: access, error: unread, replace } = useLoaded(readAccess);
  const [told, setTold] = useState("");
  const [error, setError] = useState("");

  async function change(work: () => Promise<Access | void>, done: string): Promise<void> {
    setTold("");
    setError("");
    try {
      const now = await work();
      if (now) replace(now);
      setTold(done);
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  const server = access?.tokens.find((token): token is ServerToken => token.kind === "server");
  return (
    <section class="card">
      <h2>{t.access}</h2>
      {!access && !unread && <p class="nothing">{t.loading}</p>}
      {server && <TokenOfPrograms token={server} renew={() => change(renewToken, t.renewed(server.file))} />}
      {access && (
        <>
          <h3>{t.browsers}</h3>
          <ul class="browsers">
            {access.sessions.map((session) => (
              <BrowserRow key={session.id} session={session} end={() => void change(() => endSession(session.id), t.sessionEnded)} />
            ))}
          </ul>
          <p class="row"><button type="button" class="plain" onClick={() => void change(signOut, "")}>{t.signOut}</button></p>
        </>
      )}
      <PairedBrowsers />
      <p role="status">{visible(told)}</p>
      {(error || unread) && <p class="problem" role="alert">{error || unread}</p>}
    </section>
  );
}

function TokenOfPrograms({ token, renew }: { token: ServerToken; renew: () => Promise<void> }) {
  const t = texts.value;
  const [isAsking, setIsAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const names = token.programs.map((program) => visible(program.name));

  function close(): void {
    setIsAsking(false);
    requestAnimationFrame(() => opener.current?.focus());
  }

  return (
    <>
      <h3>{t.serverToken}</h3>
      <p class="sub">{t.tokenHint}</p>
      <Facts
        facts={[
          [t.token, t.tokenEnding(token.ending)],
          [t.tokenKept, token.file],
          [t.usedBy, token.programs.length === 0 ? t.noProgramYet : <Programs token={token} />],
        ]}
      />
      {isAsking ? (
        <div class="question" role="group" aria-label={t.newToken}>
          <p>{t.newTokenWarning(names)}</p>
          <p class="row">
            <button type="button" class="primary" ref={focusOnce} onClick={() => void renew().then(close)}>{t.renew}</button>
            <button type="button" class="plain" onClick={close}>{t.cancel}</button>
          </p>
        </div>
      ) : (
        <p class="row"><button type="button" ref={opener} class="plain" onClick={() => setIsAsking(true)}>{t.newToken}</button></p>
      )}
    </>
  );
}

function Programs({ token }: { token: ServerToken }) {
  return (
    <ul class="programs">
      {token.programs.map(({ name, lastSeen }) => (
        <li key={name}><Visible text={name === "unknown" ? texts.value.answerers.another : name} /> <span class="sub"><Moment at={lastSeen} /></span></li>
      ))}
    </ul>
  );
}

function BrowserRow({ session, end }: { session: BrowserSession; end: () => void }) {
  const t = texts.value;
  const name = browserName(session.userAgent) || t.unknownBrowser;
  return (
    <li>
      <span class="browser" title={visible(session.userAgent)}>
        <span class="tags"><Visible text={name} />{session.isCurrent && <Chip text={t.thisBrowser} colour="good" />}</span>
        <span class="sub">{t.signedIn} <Moment at={session.createdAt} /></span>
      </span>
      {!session.isCurrent && (
        <button type="button" class="plain" aria-label={t.endSessionOf(visible(name))} onClick={end}>{t.endSession}</button>
      )}
    </li>
  );
}
