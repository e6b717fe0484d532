import { chatTexts, conversation, isAsking } from "../store";
import type { Entry } from "../logic/chat";
import { answerOf, questionOf } from "../logic/results";
import { Markdown } from "../../../ui/Markdown";
import { Visible } from "../../../ui/Visible";
import { ToolRow } from "./ToolRow";

/** What the agent asked and the answer. While it is pending, the question itself is shown below. */
export function AgentQuestion({ entry }: { entry: Entry }) {
  const t = chatTexts.value;
  const answer = answerOf(entry);
  if (entry.tool?.status === "error") return <ToolRow entry={entry} />;
  if (entry.tool?.status === "running" && isAsking.value) return null;
  // An answer that was given as a chat message is already shown below.
  const isSaid = conversation.value.entries.some(({ kind, text }) => kind === "user" && text === answer);
  return (
    <>
      <article class="reply" aria-label={t.agent} data-entry={entry.id}><Markdown text={questionOf(entry)} /></article>
      {answer && !isSaid && <article class="words" aria-label={t.you}><p class="words-text"><Visible text={answer} /></p></article>}
    </>
  );
}
