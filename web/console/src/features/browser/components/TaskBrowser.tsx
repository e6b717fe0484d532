import { useState } from "preact/hooks";
import { moveTask } from "../actions";
import { plugins } from "../store";
import { messageOf } from "../../../shell/failure";
import type { BrowserTask } from "../logic/browserTasks";
import { distinctName, otherPlugins } from "../logic/plugins";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";

/** The browser of a task, and a way to move it. Only a person's choice or a new start moves it. */
export function TaskBrowser({ task }: { task: BrowserTask }) {
  const t = texts.value.browser;
  const all = plugins.value;
  const own = all.find(({ clientId }) => clientId === task.selectedClientId);
  const others = otherPlugins(all, task.selectedClientId);
  const [wanted, setWanted] = useState("");
  const [isMoving, setIsMoving] = useState(false);
  const [problem, setProblem] = useState("");
  const target = others.find(({ clientId }) => clientId === wanted) ?? others[0];

  async function move(): Promise<void> {
    if (!target) return;
    setIsMoving(true);
    setProblem("");
    await moveTask(task.taskId, target.clientId).catch((failure: unknown) => setProblem(messageOf(failure)));
    setIsMoving(false);
  }

  if (task.selectedClientId === undefined || task.status === "completed") return null;
  return (
    <>
      {!own?.socketConnected && <p class="browser-away" role="status">{t.browserAway(visible(own ? distinctName(own, all) : task.selectedClientId))}</p>}
      {target && (
        <form class="row move" onSubmit={(event) => { event.preventDefault(); void move(); }}>
          <label class="row">
            <span>{t.goOnIn}</span>
            <select value={target.clientId} aria-describedby="move-hint" onChange={(event) => setWanted(event.currentTarget.value)}>
              {others.map((one) => <option key={one.clientId} value={one.clientId}>{visible(distinctName(one, all))}</option>)}
            </select>
          </label>
          <button type="submit" class="plain" disabled={isMoving}>{t.move}</button>
          <span id="move-hint" class="sub">{t.moveHint}</span>
        </form>
      )}
      {problem && <p class="problem" role="alert">{problem}</p>}
    </>
  );
}
