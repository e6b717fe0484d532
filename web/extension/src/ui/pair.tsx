/** The window that opens when a page asks to pair. It belongs to the extension, so no page can click in it. */

import { render } from "preact";
import { PairQuestion } from "./PairQuestion";
import { setLanguage, t } from "./texts";
import { follow, view } from "./worker_view";

function Asking() {
  const request = view.value?.pairRequest;
  if (!request) return <main><p class="hint" role="status">{t("askPairOver")}</p></main>;
  return (
    <main>
      <h1 class="asking"><img src="icons/32.png" alt="" width="20" height="20" /> {t("name")}</h1>
      <PairQuestion request={request} now={view.value!.server} onDone={() => window.close()} />
    </main>
  );
}

setLanguage();
document.title = `${t("name")} · ${t("pairTitle")}`;
void follow().then(() => render(<Asking />, document.body));
