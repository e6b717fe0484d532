/** The settings: which server to connect to, and this browser's name there. */

import { render } from "preact";
import { Connection } from "./Connection";
import { PairForm } from "./PairForm";
import { PairQuestion } from "./PairQuestion";
import { setLanguage, t } from "./texts";
import { ask, follow, view } from "./worker_view";

function Options() {
  const now = view.value;
  if (!now) return null;
  return (
    <main class="page">
      <h1>
        <img src="icons/48.png" alt="" width="28" height="28" /> {t("name")}
      </h1>
      {now.pairRequest && <PairQuestion request={now.pairRequest} now={now.server} />}
      <div class="card">
        <Connection view={now} />
        {now.server && (
          <div class="buttons">
            <p class="hint grow">{t("unpairHint")}</p>
            <button type="button" class="danger" onClick={() => void ask({ type: "ui/unpair" })}>{t("unpair")}</button>
          </div>
        )}
      </div>
      <section class="card" aria-labelledby="pair">
        <h2 id="pair">{t("pairTitle")}</h2>
        <PairForm server={now.server} />
      </section>
      <section class="card" aria-labelledby="about">
        <h2 id="about">{t("about")}</h2>
        <dl>
          <dt>{t("version")}</dt>
          <dd>{chrome.runtime.getManifest().version}</dd>
          <dt>{t("plugin")}</dt>
          <dd class="address">{now.clientId}</dd>
          <dt>{t("extensionId")}</dt>
          <dd class="address">{chrome.runtime.id}</dd>
        </dl>
      </section>
    </main>
  );
}

setLanguage();
document.title = `${t("name")} · ${t("settings")}`;
void follow().then(() => render(<Options />, document.body));
