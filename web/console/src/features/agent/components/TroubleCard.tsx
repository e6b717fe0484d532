import { useState } from "preact/hooks";
import { limit, controlRun } from "../actions/steering";
import { chatTexts, hasModel } from "../store";
import { messageOf } from "../../../shell/failure";
import type { Run, Trouble } from "../logic/chat";
import { raised } from "../logic/limits";
import { Visible } from "../../../ui/Visible";

/** Why the agent stopped, and what to do about it. */
export function TroubleCard({ taskId, trouble, run }: { taskId: string; trouble: Trouble; run: Run | null }) {
  const t = chatTexts.value;
  const [problem, setProblem] = useState("");
  const { code, message, hint } = trouble;
  const reached = run?.reached;
  const newLimit = reached && raised(reached, run[reached] ?? 0);
  const advice = reached ? t.limitReached : hint ?? (code in t.troubles ? t.troubles[code as keyof typeof t.troubles] : t.troubles.other);
  const isAboutModel = code === "UNAVAILABLE" || code === "FORBIDDEN" || !hasModel.value;
  const goOn = (): void => {
    setProblem("");
    const raising = reached && newLimit ? limit(taskId, { [reached]: newLimit }) : Promise.resolve();
    raising.then(() => controlRun(taskId, "resume")).catch((failure: unknown) => setProblem(messageOf(failure)));
  };
  return (
    <section class="trouble" role="alert" aria-label={t.trouble}>
      <p><strong>{t.trouble}.</strong> <Visible text={message} /></p>
      <p class="sub"><Visible text={advice} /></p>
      <p class="row">
        {run && run.status !== "running" && run.canResume !== false && <button type="button" class="plain" onClick={goOn}>{reached && newLimit ? t.raiseAndGoOn[reached](newLimit) : t.resume}</button>}
        {isAboutModel && <a href="#/settings/models">{t.toModel}</a>}
      </p>
      {problem && <p class="problem">{problem}</p>}
    </section>
  );
}
