import { useEffect, useState } from "preact/hooks";
import { newPairCode, type PairCode } from "../actions";
import { messageOf } from "../../../shell/failure";
import { countdown } from "../logic/countdown";
import { texts } from "../../../store";

/** A code for the extension's settings, with its remaining time. */
export function PairingCode() {
  const t = texts.value.browser;
  const [made, setMade] = useState<PairCode | null>(null);
  const [now, setNow] = useState(Date.now());
  const [isCopied, setIsCopied] = useState(false);
  const [problem, setProblem] = useState("");

  useEffect(() => {
    if (!made) return;
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, [made]);

  function make(): void {
    setProblem("");
    setIsCopied(false);
    newPairCode().then((code) => { setNow(Date.now()); setMade(code); }, (failure: unknown) => setProblem(messageOf(failure)));
  }

  const remaining = made ? countdown(made.expiresAt, now) : "";
  return (
    <>
      {made && remaining && (
        <div class="code-card">
          <p class="sub">{t.codeUse(location.origin)}</p>
          <p class="row">
            <output class="pair-code" aria-label={t.codeFor}>{made.code}</output>
            <button type="button" class="plain" onClick={() => void navigator.clipboard.writeText(made.code).then(() => setIsCopied(true))}>{isCopied ? t.copied : t.copy}</button>
            <span class="sub" role="timer">{t.expiresIn(remaining)}</span>
          </p>
        </div>
      )}
      {made && !remaining && <p class="problem" role="status">{t.expired}</p>}
      {!(made && remaining) && <p class="row"><button type="button" class="plain" onClick={make}>{t.makeCode}</button></p>}
      {problem && <p class="problem" role="alert">{problem}</p>}
    </>
  );
}
