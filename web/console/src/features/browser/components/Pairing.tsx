import { useState } from "preact/hooks";
import { pairHere } from "../actions";
import type { ExtensionInfo } from "../bridge";
import { extension, isHereConnected } from "../store";
import { messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { PairingCode } from "./PairingCode";

/** Pairs a browser: with one click if its extension is installed, otherwise with instructions. */
export function Pairing({ isFirst = false }: { isFirst?: boolean }) {
  const t = texts.value.browser;
  const here = extension.value;
  const isHere = here !== null && here !== "unknown";
  return (
    <div class="pairing">
      {isFirst && <p>{t.whatFor}</p>}
      {isHere && !isHereConnected.value && <PairHere here={here} />}
      {here === null && <Guide />}
      <p class={isHere ? "sub" : ""}>{t.otherBrowser}</p>
      <PairingCode />
    </div>
  );
}

function PairHere({ here }: { here: ExtensionInfo }) {
  const t = texts.value.browser;
  const [isPairing, setIsPairing] = useState(false);
  const [told, setTold] = useState("");
  const [problem, setProblem] = useState("");

  async function pair(): Promise<void> {
    setIsPairing(true);
    setTold("");
    setProblem("");
    try {
      const answer = await pairHere();
      if (answer?.ok) setTold(t.paired);
      else if (answer?.pending) setTold(t.confirmInExtension);
      else setProblem(answer === null ? t.noAnswer : t.pairFailed(visible(answer.error ?? "")));
    } catch (failure) {
      setProblem(messageOf(failure));
    } finally {
      setIsPairing(false);
    }
  }

  return (
    <div class="question">
      <p>{t.foundHere(visible(here.version ?? "?"))}</p>
      <p class="row"><button type="button" class="primary" disabled={isPairing} onClick={() => void pair()}>{isPairing ? t.pairing : t.pairHere}</button></p>
      <p role="status">{told}</p>
      {problem && <p class="problem" role="alert">{problem}</p>}
    </div>
  );
}

function Guide() {
  const t = texts.value.browser;
  const [folder, ...rest] = t.byHandSteps;
  return (
    <>
      <p class="sub" role="status">{t.notFoundHere}</p>
      <p>{t.fromTerminal}</p>
      <pre class="command" tabIndex={0}>handrail extension launch</pre>
      <p>{t.byHand}</p>
      <ol class="steps">
        <li>{folder} <code>handrail extension path</code></li>
        {rest.map((step) => <li key={step}>{step}</li>)}
      </ol>
    </>
  );
}
