import { useState } from "preact/hooks";
import { letRead } from "../actions";
import type { BrowserTask } from "../logic/browserTasks";
import { texts } from "../../../store";

/** Shows that a person has taken over the task, and whether the agent may read in it. */
export function TakenOver({ task, act }: { task: BrowserTask; act: (work: Promise<void>) => void }) {
  const t = texts.value.browser;
  /** The new choice, until the server has confirmed it. */
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
