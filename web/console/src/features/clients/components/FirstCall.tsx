import { isAgents } from "../actions";
import { areCallsLoaded, calls } from "../../history/store";
import { words } from "../words";

/** Reports an agent's first call. */
export function FirstCall() {
  const t = words.value;
  if (!areCallsLoaded.value) return null;
  const hasArrived = calls.value.some(isAgents);
  return (
    <p class="client-waiting" role="status" data-arrived={hasArrived}>
      <i class="dot" aria-hidden="true" />
      <span>{hasArrived ? <>{t.arrived} <a href="#/history">{t.seeCalls}</a></> : t.waiting}</span>
    </p>
  );
}
