import { useEffect, useState } from "preact/hooks";
import { beginSignIn, keepKey, readApp, signOutOf } from "../actions";
import { messageOf } from "../../../shell/failure";
import type { AppDetails, SignIn } from "../logic/apps";
import { visible } from "../../../logic/visible";
import { announcement } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { Field } from "../../../ui/Field";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { words } from "../words";

const LOOK_EVERY_MS = 1000;

interface SignInCardProps {
  app: AppDetails;
  setApp: (app: AppDetails) => void;
}

/** The account with which the app is called, and how to change it. A key that was sent is never shown again. */
export function SignInCard({ app, setApp }: SignInCardProps) {
  const t = words.value;
  const { id, auth } = app;
  const [error, setError] = useState("");
  const [address, setAddress] = useState("");

  async function change(work: Promise<AppDetails>, done: string): Promise<void> {
    setError("");
    try {
      setApp(await work);
      announcement.value = done;
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  /** The click itself opens the window; one that opens later would be blocked as a pop-up. */
  async function begin(): Promise<void> {
    setError("");
    const opened = window.open("", "_blank");
    if (opened) opened.opener = null;
    try {
      const address = await beginSignIn(id, "");
      setAddress(address);
      if (opened) opened.location.href = address;
      setApp(await readApp(id));
    } catch (failure) {
      opened?.close();
      setError(messageOf(failure));
    }
  }

  useEffect(() => {
    if (!auth.isWaiting) return;
    const looking = setInterval(() => void readApp(id).then(setApp, () => undefined), LOOK_EVERY_MS);
    return () => clearInterval(looking);
  }, [auth.isWaiting]);

  return (
    <section class="card" aria-label={`${t.signIn}: ${visible(app.name)}`}>
      <p class="tags">
        <Chip label={t.signIn} text={auth.signedIn ? t.signedIn : t.signedOut} colour={auth.signedIn ? "good" : "bad"} />
        {auth.source && <span class="sub">{t.sources[auth.source]}</span>}
        {auth.expiresAt !== undefined && <span class="sub">{t.expires} <Moment at={new Date(auth.expiresAt * 1000).toISOString()} /></span>}
      </p>
      {auth.reason && <p class="sub"><Visible text={auth.reason} /></p>}
      {auth.hosts && <SignInHosts hosts={auth.hosts} />}
      {auth.problem && <p class="problem" role="alert"><Visible text={auth.problem} /></p>}
      {error && <p class="problem" role="alert">{error}</p>}
      {auth.type === "api_key" && auth.source !== "environment" && <KeyForm isKept={auth.signedIn} keep={(key) => change(keepKey(id, key), t.signedIn)} />}
      <p class="row">
        {auth.type === "oauth2" && <button type="button" class="primary" onClick={() => void begin()}>{auth.signedIn ? t.signInAgain : t.signInThere}</button>}
        {auth.signedIn && auth.source === "store" && (
          <button type="button" class="plain" onClick={() => void change(signOutOf(id), t.signedOut)}>{t.signOut}</button>
        )}
        {auth.isWaiting && <span class="sub" role="status">{t.waiting}</span>}
      </p>
      {auth.isWaiting && address && <p class="sub"><a href={address} target="_blank" rel="noreferrer noopener">{t.openThere}</a></p>}
    </section>
  );
}

/** A page that looks right may send the result elsewhere, so all hosts are named. */
function SignInHosts({ hosts }: { hosts: NonNullable<SignIn["hosts"]> }) {
  const t = words.value;
  const { authorization, token, refresh } = hosts;
  const isOne = token === authorization && (refresh ?? token) === token;
  return (
    <>
      <Facts facts={[[t.signInHosts.authorization, authorization], [t.signInHosts.token, token], [t.signInHosts.refresh, refresh]]} />
      {!isOne && <p class="problem">{t.hostsDiffer}</p>}
    </>
  );
}

function KeyForm({ isKept, keep }: { isKept: boolean; keep: (key: string) => Promise<void> }) {
  const t = words.value;
  const [key, setKey] = useState("");
  return (
    <form
      class="row key-form"
      onSubmit={(event) => {
        event.preventDefault();
        void keep(key).then(() => setKey(""));
      }}
    >
      <Field label={isKept ? t.newKey : t.key} value={key} onInput={setKey} kind="secret" description={t.keyHint} />
      <button type="submit" class="primary" disabled={key === ""}>{t.keep}</button>
    </form>
  );
}
