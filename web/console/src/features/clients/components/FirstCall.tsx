import { isAgents } from "../actions";
import { texts } from "../../../store";
import { areCallsLoaded, calls } from "../../history/store";

/** Says when an agent's first call has arrived. */
export function FirstCall() {
  const t = texts.value.clients;
  if (!areCallsLoaded.value) return null;
  const hasArrived = calls.value.some(isAgents);
  return (
    <p class="client-waiting" role="status" data-arrived={hasArrived}>
      <i class="dot" aria-hidden="true" />
      <span>{hasArrived ? <>{t.arrived} <a href="#/history">{t.seeCalls}</a></> : t.waiting}</span>
    </p>
  );
}
