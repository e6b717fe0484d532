/** One task: who is in control, and the buttons that change that. */

import type { TaskView } from "../worker/view";
import { t } from "./texts";
import { ask } from "./worker_view";

async function showTab(tabId: number): Promise<void> {
  const tab = await chrome.tabs.update(tabId, { active: true });
  if (tab) await chrome.windows.update(tab.windowId, { focused: true });
}

export function TaskRow({ task }: { task: TaskView }) {
  const isPaused = task.status === "takeover";
  const { taskId, tabId } = task;
  return (
    <li class="task">
      <p class="task-head">
        <span class={`group ${task.color}`} aria-hidden="true" />
        <strong>{task.title}</strong>
        <span class={`status ${task.status}`}>{t(`status_${task.status}`)}</span>
      </p>
      <div class="buttons">
        {tabId !== null && <button type="button" class="quiet" onClick={() => void showTab(tabId)}>{t("showTab")}</button>}
        <button type="button" onClick={() => void ask({ type: isPaused ? "ui/handback" : "ui/takeover", taskId })}>
          {t(isPaused ? "handBack" : "takeOver")}
        </button>
        <button type="button" class="danger" onClick={() => void ask({ type: "ui/stop", taskId })}>{t("stop")}</button>
      </div>
    </li>
  );
}
