import type { RequestEntry } from "@handrail/host";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";

/** A question of another program: names the program that posted it, whatever the question claims. */
export function ForeignSource({ request: { postedBy = "", claimedSource, prompt } }: { request: RequestEntry }) {
  const t = texts.value;
  const source = claimedSource ?? prompt.source ?? "";
  const by = claimedSource !== undefined ? t.claims(postedBy, claimedSource) : t.posted(source ? `${source} · ${postedBy}` : postedBy);
  return <span class="foreign-mark" title={t.card.foreignHint}>{visible(by)}</span>;
}
