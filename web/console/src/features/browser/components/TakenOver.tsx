import { useState } from "preact/hooks";
import { letRead } from "../actions";
import type { BrowserTask } from "../logic/browserTasks";
import { texts } from "../../../store";

/** That a person has the task, and whether they let the agent read meanwhile. */
export function TakenOver({ task, act }: { task: BrowserTask; act: (work: Promise<void>) => void }) {
  const t = texts.value.browser;
  /** What was just ticked, until the server has said so. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  if (task.status !== "takeover") return null;

  function change(allowed: boolean): void {
    setWanted(allowed);
    act(letRead(task.taskId, allowed).finally(() => setWanted(null)));
  }
  return (
    <p class="taken-over row">
      {t.takenOverHint}
      <label class="check"><input type="checkbox" checked={wanted ?? task.reading === true} onChange={(event) => change(event.currentTarget.checked)} />{t.letRead}</label>
    </p>
  );
}
