import type { RequestEntry } from "@handrail/host";
import { OWN_TITLES } from "../actions/prompts";
import { postedByOther } from "../logic/foreign";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Chip } from "../../../ui/Chip";

/** Where a prompt comes from. If it isn't handrail's own, the program that posted it counts, not what it claims. */
export function SourceChip({ request }: { request: RequestEntry }) {
  const t = texts.value;
  const { source } = request.prompt;
  if (request.isOwn === true && request.askedBy) return <Agent name={request.askedBy} />;
  if (request.isOwn !== false) return source ? <Chip label={t.source} text={OWN_TITLES[source] ? t.theAgent : source} /> : null;
  return <Chip label={t.source} text={postedByOther(request, t)} />;
}
