import { useState } from "preact/hooks";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { CodeBlock } from "../../../ui/CodeBlock";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { distrustPolicy, readPolicyFile, trustPolicy, type Policy } from "../actions";

/** A project's own policy may loosen rules only after a person has read and trusted exactly that content. */
export function PolicyTrust({ policy, changed }: { policy: Policy; changed: (now: Policy) => void }) {
  const t = texts.value.trust;
  const [shown, setShown] = useState<{ text: string; hash: string } | null>(null);
  const [need, setNeed] = useState<PresenceNeed | null>(null);
  const [error, setError] = useState("");

  async function run(work: () => Promise<void>): Promise<void> {
    setError("");
    try {
      await work();
    } catch (failure) {
      const need = presenceNeed(failure);
      if (need) setNeed(need);
      else setError(messageOf(failure));
    }
  }

  async function trust(presence?: object): Promise<void> {
    changed(await trustPolicy(shown!.hash, presence));
    setShown(null);
    setNeed(null);
  }

  if (policy.exists === false) return null;
  return (
    <>
      {policy.trusted && <p class="row"><button type="button" class="plain" onClick={() => void run(async () => changed(await distrustPolicy()))}>{t.withdraw}</button></p>}
      {!policy.trusted && !shown && <p class="row"><button type="button" class="plain" onClick={() => void run(async () => setShown(await readPolicyFile()))}>{t.read}</button></p>}
      {!policy.trusted && shown && (
        <div class="question" role="group" aria-label={t.read}>
          <p>{t.warning}</p>
          <CodeBlock text={shown.text} language="policy.json" />
          {need ? (
            <PresenceCheck need={need} confirm={trust} />
          ) : (
            <p class="row">
              <button type="button" class="primary" onClick={() => void run(trust)}>{t.trust}</button>
              <button type="button" class="plain" onClick={() => setShown(null)}>{texts.value.cancel}</button>
            </p>
          )}
        </div>
      )}
      {error && <p class="problem" role="alert">{error}</p>}
    </>
  );
}
