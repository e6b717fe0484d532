import { useState } from "preact/hooks";
import { canUsePasskeys, type PresenceNeed } from "../logic/presence";
import { texts } from "../../../store";
import { CodeBlock } from "../../../ui/CodeBlock";

/** A yes that reaches far: the person shows that they are here, with a passkey, or answers in a terminal. */
export function PresenceCheck({ need, confirm, isSending }: { need: PresenceNeed; confirm: () => Promise<void>; isSending: boolean }) {
  const t = texts.value.presence;
  const [hasFailed, setHasFailed] = useState(false);
  const hasPasskey = need.passkey !== undefined;
  const isUsable = hasPasskey && canUsePasskeys();

  async function use(): Promise<void> {
    setHasFailed(false);
    await confirm().catch(() => setHasFailed(true));
  }

  return (
    <section class="presence" role="group" aria-label={t.title}>
      <p><strong>{t.title}</strong> {t.why}</p>
      {isUsable && <p class="row"><button type="button" class="primary" disabled={isSending} autofocus onClick={() => void use()}>{t.usePasskey}</button></p>}
      {hasFailed && <p class="problem" role="alert">{t.failed}</p>}
      {hasPasskey && !isUsable && <p>{t.otherAddress} <a href={`http://localhost:${location.port}/`}>{`http://localhost:${location.port}`}</a></p>}
      <p class="sub">{isUsable ? t.orTerminal : t.terminal}</p>
      <CodeBlock text={need.command} language="" />
      {!hasPasskey && <p class="sub">{t.addPasskey} <a href="#/settings">{t.settings}</a></p>}
    </section>
  );
}
