import { useEffect } from "preact/hooks";
import { lookForExtension } from "../actions";
import { arePluginsLoaded, extension, isHereConnected, plugins, tasks } from "../store";
import { texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";
import { Pairing } from "./Pairing";
import { Plugins } from "./Plugins";
import { TaskList } from "./TaskList";
import { TaskView } from "./TaskView";
import { Windows } from "./Windows";
import "../browser.css";

/** A person who has installed the extension returns to this page; there is no event for that. */
const LOOK_AGAIN_MS = 3000;

/** What agents do in browsers, live: their tasks and pages, and the browsers with what is open in them. */
export function Browser() {
  const t = texts.value;
  const isEmpty = plugins.value.length === 0 && tasks.value.length === 0;

  useEffect(() => {
    void lookForExtension();
    const again = setInterval(() => {
      if (document.visibilityState === "visible" && !(extension.value && isHereConnected.value)) void lookForExtension();
    }, LOOK_AGAIN_MS);
    return () => clearInterval(again);
  }, []);

  return (
    <>
      <PageHead title={t.pages.browser} sub={arePluginsLoaded.value ? t.browser.connected(plugins.value.filter((one) => one.socketConnected).length) : undefined} />
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.pages.browser}>
        {!arePluginsLoaded.value && <p class="nothing">{t.loading}</p>}
        {arePluginsLoaded.value && isEmpty && <section class="card first-browser"><h2>{t.browser.connectBrowser}</h2><Pairing isFirst /></section>}
        {arePluginsLoaded.value && !isEmpty && (
          <div class="browsing">
            <TaskList />
            <TaskView />
            <div class="browsing-side">
              <Plugins />
              <Windows />
            </div>
          </div>
        )}
      </div>
    </>
  );
}
