/** A page wants to pair this browser with its server. Only a person decides, and sees the full addresses. */

import { useSignal } from "@preact/signals";
import type { PairRequest } from "../worker/view";
import { useArmed } from "./armed";
import { t } from "./texts";
import { ask } from "./worker_view";

const READING_MS = 1000;

export function PairQuestion({ request, now, onDone }: { request: PairRequest; now: string | null; onDone?: () => void }) {
  const isArmed = useArmed(READING_MS, request.server);
  const problem = useSignal("");
  async function answer(accept: boolean): Promise<void> {
    const outcome = await ask({ type: "ui/answer_pair", accept, server: request.server });
    if (outcome.ok) onDone?.();
    else problem.value = outcome.message;
  }

  return (
    <section class="question" role="alertdialog" aria-labelledby="question" aria-describedby="question-hint">
      <h2 id="question">{t(now === null ? "askFirstPair" : "askPair")}</h2>
      <dl>
        {now !== null && <><dt>{t("askPairNow")}</dt><dd class="address">{now}</dd></>}
        <dt>{t(now === null ? "server" : "askPairNew")}</dt>
        <dd class="address">{request.server}</dd>
      </dl>
      <p id="question-hint" class="hint">{t("askPairHint")}</p>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      <div class="buttons">
        <button type="button" autofocus onClick={() => void answer(false)}>{t(now === null ? "dontPair" : "keepServer")}</button>
        <button type="button" class="primary" disabled={!isArmed} onClick={() => void answer(true)}>{t(now === null ? "pair" : "switchServer")}</button>
      </div>
    </section>
  );
}
