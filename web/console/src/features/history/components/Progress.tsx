import { useEffect, useState } from "preact/hooks";
import { readConversation, type PastConversation } from "../../agent/actions/pastConversation";
import { planFromNotes } from "../../agent/logic/plan";
import { language, texts } from "../../../store";

/** The conversation of a task, read again while it grows; null for tasks of other agents. */
export function useTalk(task: string | undefined, steps: number): PastConversation | null {
  const [talk, setTalk] = useState<PastConversation | null>(null);
  useEffect(() => {
    if (task === undefined) return;
    let isMeant = true;
    void readConversation(task).then((found) => isMeant && setTalk(found));
    return () => { isMeant = false; };
  }, [task, steps]);
  return talk;
}

/** The progress of the plan, and the model's cost so far. */
export function Progress({ talk }: { talk: PastConversation | null }) {
  const t = texts.value;
  if (!talk) return null;
  const plan = planFromNotes(talk.entries);
  const { inputTokens = 0, outputTokens = 0, cost } = talk.run?.usage ?? {};
  const spent = cost !== undefined && cost !== null
    ? new Intl.NumberFormat(language.value, { style: "currency", currency: "USD", maximumFractionDigits: 2 }).format(cost)
    : inputTokens + outputTokens > 0 ? t.tokensUsed(new Intl.NumberFormat(language.value, { notation: "compact" }).format(inputTokens + outputTokens)) : "";
  const done = plan.filter(({ state }) => state === "done").length;
  return (
    <>
      {plan.length > 0 && <span class="plan-progress">· <progress max={plan.length} value={done} aria-hidden="true" /> {t.planOf(done, plan.length)} </span>}
      {spent && <span>· {spent}</span>}
    </>
  );
}
