/** Which other program posted a question, whatever the question claims. */

import type { RequestEntry } from "@handrail/host";
import type { PeopleTexts } from "../texts/shape";

/** Of a line in the log that no connection posted, the server knows no more. */
const UNKNOWN = "another program";

export function postedByOther({ postedBy = UNKNOWN, claimedSource, prompt: { source } }: RequestEntry, t: Pick<PeopleTexts, "answerers" | "claims" | "posted">): string {
  const by = postedBy === UNKNOWN ? t.answerers.another : postedBy;
  if (claimedSource !== undefined) return t.claims(by, claimedSource);
  return t.posted(source ? `${source} · ${by}` : by);
}
