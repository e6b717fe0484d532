import { useState } from "preact/hooks";
import { askSample } from "../actions";
import { messageOf } from "../../../shell/failure";
import { words } from "../words";

type State = "idle" | "waiting" | "done";

/** A real approval to try out, the same as for any agent's write. */
export function SampleApproval() {
  const t = words.value;
  const [state, setState] = useState<State>("idle");
  const [problem, setProblem] = useState("");

  async function ask(): Promise<void> {
    setProblem("");
    setState("waiting");
    try {
      await askSample();
      setState("done");
    } catch (failure) {
      setState("idle");
      setProblem(messageOf(failure));
    }
  }
  return (
    <section class="card">
      <h2>{t.sample}</h2>
      <p class="sub">{t.sampleHint}</p>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <p class="row">
        <button type="button" class="plain" disabled={state === "waiting"} onClick={() => void ask()}>{t.sampleAsk}</button>
        <span role="status" class="sub">{{ idle: "", waiting: t.sampleWaiting, done: t.sampleDone }[state]}</span>
      </p>
    </section>
  );
}
