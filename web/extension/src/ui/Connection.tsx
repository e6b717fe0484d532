/** The state of the connection to the server: a dot, a word, and what to do if something is wrong. */

import type { View } from "../worker/view";
import { t } from "./texts";

/** The beginning of the server's message to an extension of another version. */
const OUTDATED = "Update the handrail extension";

export function Connection({ view }: { view: View }) {
  const isOutdated = view.problem?.startsWith(OUTDATED);
  const hint = view.connection === "refused" ? t(isOutdated ? "outdatedHint" : "refusedHint") : view.connection === "connecting" ? t("connectingHint") : null;
  return (
    <section class="connection" aria-live="polite">
      <p class={`state ${view.connection}`}>
        <span class="dot" aria-hidden="true" />
        <strong>{t(`connection_${view.connection}`)}</strong>
      </p>
      {view.server && <p class="address">{view.server}</p>}
      {hint && <p class="hint">{hint}</p>}
    </section>
  );
}
