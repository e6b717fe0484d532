/** The popup: whether the extension is connected, what is running in this browser, and how to stop it. */

import { render } from "preact";
import { Connection } from "./Connection";
import { PairForm } from "./PairForm";
import { PairQuestion } from "./PairQuestion";
import { TaskRow } from "./TaskRow";
import { setLanguage, t } from "./texts";
import { ask, follow, view } from "./worker_view";

function Popup() {
  const now = view.value;
  if (!now) return null;
  const { server, tasks } = now;
  return (
    <>
      <header>
        <img src="icons/32.png" alt="" width="20" height="20" />
        <h1>{t("name")}</h1>
        <button type="button" class="quiet" onClick={() => void chrome.runtime.openOptionsPage()}>{t("settings")}</button>
      </header>
      <main>
        {now.pairRequest && <PairQuestion request={now.pairRequest} now={server} />}
        <Connection view={now} />
        {now.connection === "unpaired" && <PairForm server={null} />}
        {now.connection !== "unpaired" && (
          <>
            <section aria-labelledby="tasks">
              <h2 id="tasks">{t("tasks")}</h2>
              {tasks.length ? <ul>{tasks.map((task) => <TaskRow key={task.taskId} task={task} />)}</ul> : <p class="hint">{t("noTasks")}</p>}
            </section>
            <footer class="buttons">
              {now.connection !== "connected" && <button type="button" onClick={() => void ask({ type: "ui/reconnect" })}>{t("retry")}</button>}
              {server && <button type="button" class="quiet" onClick={() => void chrome.tabs.create({ url: server })}>{t("openConsole")}</button>}
            </footer>
          </>
        )}
      </main>
    </>
  );
}

setLanguage();
document.title = t("name");
void follow().then(() => render(<Popup />, document.body));
