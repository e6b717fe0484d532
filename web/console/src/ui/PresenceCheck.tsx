import { useState } from "preact/hooks";
import { canUsePasskeys, IN_WINDOW, presenceNeed, signWithPasskey, type PresenceNeed } from "../logic/presence";
import { messageOf } from "../shell/failure";
import { texts } from "../store";
import { CodeBlock } from "./CodeBlock";
import { Visible } from "./Visible";

interface PresenceCheckProps {
  need: PresenceNeed;
  /** Sends the same request again, with the proof. */
  confirm: (presence: object) => Promise<void>;
}

/** Asks the person to prove their presence: with a passkey, in the extension's window, or in a terminal. */
export function PresenceCheck({ need: first, confirm }: PresenceCheckProps) {
  const t = texts.value.presence;
  const [need, setNeed] = useState(first);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState<"passkey" | "window" | null>(null);
  const hasPasskey = need.passkey !== undefined;
  const isUsable = hasPasskey && canUsePasskeys();

  async function use(way: "passkey" | "window"): Promise<void> {
    setError("");
    setBusy(way);
    try {
      await confirm(way === "window" ? IN_WINDOW : await signWithPasskey(need.passkey!));
    } catch (failure) {
      setNeed(presenceNeed(failure) ?? need); // a challenge is valid once
      setError(way === "passkey" ? t.failed : messageOf(failure));
    } finally {
      setBusy(null);
    }
  }

  return (
    <section class="presence" role="group" aria-label={t.title}>
      <p><strong>{t.title}</strong> {t.why}</p>
      {(isUsable || need.window) && (
        <p class="row">
          {isUsable && <button type="button" class="primary" disabled={busy !== null} autofocus onClick={() => void use("passkey")}>{t.usePasskey}</button>}
          {need.window && <button type="button" class={isUsable ? "plain" : "primary"} disabled={busy !== null} onClick={() => void use("window")}>{t.useWindow}</button>}
        </p>
      )}
      {need.window && <p class="sub" role="status">{busy === "window" ? t.inWindow : <>{t.windowIn} <Visible text={need.window.name} /></>}</p>}
      {error && <p class="problem" role="alert">{error}</p>}
      {hasPasskey && !isUsable && <p>{t.otherAddress} <a href={`http://localhost:${location.port}/`}>{`http://localhost:${location.port}`}</a></p>}
      {need.command && <p class="sub">{isUsable || need.window ? t.orTerminal : t.terminal}</p>}
      {need.command && <CodeBlock text={need.command} language="" />}
      {!hasPasskey && <p class="sub">{t.addPasskey} <a href="#/settings/access">{t.settings}</a></p>}
    </section>
  );
}
