import { answererName } from "../answerers";
import type { PromptResponse, ResponseEntry } from "@handrail/host";
import type { QueuedPrompt } from "../logic/queue";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { Moment } from "../../../ui/Moment";

/** What was answered: outcome, who, when, remark and the answer itself. */
export function Outcome({ asked }: { asked: QueuedPrompt }) {
  const t = texts.value;
  const { response: entry } = asked;
  if (!entry) return <Chip text={t.outcomes.gone} />;
  const { response } = entry;
  // Anything but the three counts as canceled (rulings, 5).
  const outcome = response.status === "ok" || response.status === "timeout" ? response.status : "canceled";
  const isApproval = asked.request.prompt.kind === "file_change_confirm";
  const word = isApproval || outcome === "timeout" ? t.outcomes[outcome] : t.replies[outcome];
  return (
    <div class="outcome">
      <p class="tags">
        <Chip text={word} colour={outcome === "ok" ? "good" : "bad"} />
        <span class="sub"><Moment at={entry.ts} /></span>
      </p>
      <Facts
        facts={[
          [t.by, answererOf(entry)],
          [t.scope, reachOf(asked)],
          [t.answerGiven, outcome === "ok" && answerText(response)],
          [t.remarkGiven, response.remark],
        ]}
      />
    </div>
  );
}

function reachOf({ request: { prompt }, response }: QueuedPrompt): string | undefined {
  const { scope, covers = "tool" } = response?.response ?? {};
  const isConsent = prompt.kind === "file_change_confirm" && prompt.consent && scope === "rule";
  return scope && texts.value.scopes[isConsent ? covers : scope];
}

/** An answer of this page has no place in the log yet; the server will soon say who gave it. */
function answererOf({ answeredBy, offset }: ResponseEntry): string {
  if (answeredBy === undefined) return offset === undefined ? "" : texts.value.answerers.another;
  return answererName(answeredBy);
}

function answerText({ values, selection, tasks }: PromptResponse): string {
  if (values) return Object.entries(values).map(([key, value]) => `${key}: ${value}`).join("\n");
  if (selection !== undefined) return [selection].flat().join(", ");
  return (tasks ?? []).map((task, at) => `${at + 1}. ${task.title}`).join("\n");
}
