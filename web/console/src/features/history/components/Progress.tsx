import { useEffect, useState } from "preact/hooks";
import { readTalk, type Talk } from "../../agent/actions/talk";
import { notedPlan } from "../../agent/logic/plan";
import { language, texts } from "../../../store";

/** The conversation of a task, read again while it grows; null for tasks of other agents. */
export function useTalk(task: string | undefined, steps: number): Talk | null {
  const [talk, setTalk] = useState<Talk | null>(null);
  useEffect(() => {
    if (task === undefined) return;
    let isMeant = true;
    void readTalk(task).then((found) => isMeant && setTalk(found));
    return () => { isMeant = false; };
  }, [task, steps]);
  return talk;
}

/** How far the plan is, and what the model has cost so far. */
export function Progress({ talk }: { talk: Talk | null }) {
  const t = texts.value;
  if (!talk) return null;
  const plan = notedPlan(talk.entries);
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
