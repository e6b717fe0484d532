import type { RequestEntry } from "@handrail/host";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { postedByOther } from "../logic/foreign";

/** A question of another program: names the program that posted it, whatever the question claims. */
export function ForeignSource({ request }: { request: RequestEntry }) {
  const t = texts.value;
  return <span class="foreign-mark" title={t.card.foreignHint}>{visible(postedByOther(request, t))}</span>;
}
