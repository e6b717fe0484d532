import type { RequestEntry } from "@handrail/host";
import { OWN_TITLES } from "../actions/prompts";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { Chip } from "../../../ui/Chip";

/** Where a prompt comes from. If it isn't handrail's own, the program that posted it counts, not what it claims. */
export function SourceChip({ request }: { request: RequestEntry }) {
  const t = texts.value;
  const { source } = request.prompt;
  if (request.isOwn === true && request.askedBy) return <Agent name={request.askedBy} />;
  if (request.isOwn !== false) return source ? <Chip label={t.source} text={OWN_TITLES[source] ? t.theAgent : source} /> : null;
  const by = request.postedBy ?? "";
  if (request.claimedSource !== undefined) return <Chip label={t.source} text={t.claims(by, request.claimedSource)} />;
  return <Chip label={t.source} text={t.posted(source ? `${source} · ${by}` : by)} />;
}
