import type { RequestEntry } from "@handrail/host";
import { useEffect, useState } from "preact/hooks";
import { respondToAll, titleOf } from "../actions/prompts";
import { similarTo } from "../logic/bundle";
import { queue } from "../store";
import { isDeliberate } from "../../../logic/attention";
import { messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { cardOf } from "../logic/card";
import { ChangeDetails } from "./ChangeDetails";

/**
 * As for a single question: reading takes at least this long, and a click may have been meant for what was there
 * before.
 */
const ARMING_MS = 400;

/**
 * Similar approvals below the shown one, each in full, and one answer for all shown. Later ones aren't added until
 * requested.
 */
export function SimilarApprovals({ request, isShown }: { request: RequestEntry; isShown: boolean }) {
  const t = texts.value;
  const similar = similarTo(request, queue.value);
  const ids = similar.map(({ request: { requestId } }) => requestId);
  const [listed, setListed] = useState<readonly string[]>(ids);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isArmed, setIsArmed] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState("");
  const together = similar.filter(({ request: { requestId } }) => listed.includes(requestId));
  const selected = together.filter(({ request: { requestId } }) => !left.has(requestId));
  const toggle = (id: string): void => {
    const now = new Set(left);
    if (!now.delete(id)) now.add(id);
    setLeft(now);
  };
  const newer = ids.filter((id) => !listed.includes(id));

  // The approvals when the question came into view; afterwards nothing is added automatically.
  useEffect(() => {
    if (isShown) setListed(ids);
  }, [isShown]);

  useEffect(() => {
    setIsArmed(false);
    if (!isShown) return;
    const arming = setTimeout(() => setIsArmed(true), ARMING_MS);
    return () => clearTimeout(arming);
  }, [isShown, listed]);

  if (similar.length < 2) return null;

  async function answer(status: "ok" | "canceled"): Promise<void> {
    if (isSending || !isDeliberate(isArmed)) return;
    setIsSending(true);
    try {
      setError((await respondToAll(selected.map((each) => each.request), { status })).join(" "));
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setIsSending(false);
    }
  }

  return (
    <section class="similar" aria-label={t.similar}>
      <h3>{t.similar}</h3>
      {together.map(({ request: each, prompt }, at) => (
        <article key={each.requestId} data-similar={each.requestId}>
          <label class="similar-choice"><input type="checkbox" checked={!left.has(each.requestId)} onChange={() => toggle(each.requestId)} /><h4><bdi>{titleOf(each)}</bdi></h4></label>
          {at > 0 && <ChangeDetails prompt={prompt} card={cardOf(each)} requestId={each.requestId} />}
        </article>
      ))}
      {newer.length > 0 && (
        <p class="row"><button type="button" class="plain" onClick={() => setListed(ids)}>{t.showNewer(newer.length)}</button></p>
      )}
      {error && <p class="problem" role="alert">{error}</p>}
      {together.length > 1 && (
        <p class="row">
          <button type="button" class="plain" disabled={isSending || selected.length === 0} onClick={() => void answer("ok")}>{t.card.allowSelected(selected.length)}</button>
          <button type="button" class="plain no" disabled={isSending || selected.length === 0} onClick={() => void answer("canceled")}>{t.card.denySelected(selected.length)}</button>
        </p>
      )}
    </section>
  );
}
