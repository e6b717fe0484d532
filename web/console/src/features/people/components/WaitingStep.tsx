import type { RequestEntry } from "@handrail/host";
import { texts } from "../../../store";
import { Moment } from "../../../ui/Moment";
import { showPrompt } from "../actions/panel";
import { titleOf } from "../actions/prompts";
import { cardOf } from "../logic/card";
import { isSettled } from "../logic/queue";
import { queue } from "../store";
import { useCaller } from "./useCaller";
import "../../history/timeline.css";

/** A question without an answer, as the last step of its task's timeline. It says whether its caller still waits. */
export function WaitingStep({ request }: { request: RequestEntry }) {
  const caller = useCaller(request);
  return (
    <div class="step waiting-step" role="listitem">
      <span class="step-mark asks" aria-hidden="true">?</span>
      <div class="step-line">
        <button type="button" class="step-open" onClick={() => showPrompt(request.requestId)}><b><bdi>{titleOf(request)}</bdi></b> <span class="dim">{texts.value.stillWaits[caller]}</span></button>
        <Moment at={request.ts} isShort />
      </div>
    </div>
  );
}

/** The pending questions of a task, or of a connection that named none. */
export function waitingIn(of: { task: string } | { caller: string }): RequestEntry[] {
  const pending = queue.value.order.flatMap((id) => queue.value.prompts.get(id) ?? []).filter((asked) => !isSettled(asked) && asked.request.prompt.kind !== "result");
  return pending.map(({ request }) => request).filter((request) => ("task" in of ? request.runId === of.task : request.runId === undefined && cardOf(request)?.identity === of.caller));
}
