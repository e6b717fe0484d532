/** Another server was offered while one is chosen: only a person decides, and sees both addresses whole. */

import type { PairRequest } from "../worker/view";
import { t } from "./texts";
import { ask } from "./worker_view";

export function PairQuestion({ request, now }: { request: PairRequest; now: string | null }) {
  const answer = (accept: boolean) => void ask({ type: "ui/answer_pair", accept });
  return (
    <section class="question" role="alertdialog" aria-labelledby="question" aria-describedby="question-hint">
      <h2 id="question">{t("askPair")}</h2>
      <dl>
        <dt>{t("askPairNow")}</dt>
        <dd class="address">{now}</dd>
        <dt>{t("askPairNew")}</dt>
        <dd class="address">{request.server}</dd>
      </dl>
      <p id="question-hint" class="hint">{t("askPairHint")}</p>
      <div class="buttons">
        <button type="button" onClick={() => answer(true)}>{t("switchServer")}</button>
        <button type="button" class="primary" autofocus onClick={() => answer(false)}>{t("keepServer")}</button>
      </div>
    </section>
  );
}
