import { sendAgain } from "../actions/sending";
import { chatTexts, conversationOf } from "../store";
import type { Entry } from "../logic/chat";
import { isCheckOff } from "../logic/plan";
import { questionOf, reportOf } from "../logic/results";
import { Markdown } from "../../../ui/Markdown";
import { Visible } from "../../../ui/Visible";
import { AttachedFile } from "./AttachedFile";
import { GrowingMarkdown } from "./GrowingMarkdown";
import { AgentQuestion } from "./AgentQuestion";
import { Completion } from "./Completion";
import { ToolRow } from "./ToolRow";

const LONG_NOTE = 280;

/** One entry of a conversation: a message, a tool call, a note. */
export function EntryRow({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "user":
      return <Words entry={entry} />;
    case "assistant":
      return <Reply entry={entry} />;
    case "tool":
      return isCheckOff(entry) ? <CheckedOff entry={entry} /> : reportOf(entry) ? <Completion entry={entry} /> : questionOf(entry) ? <AgentQuestion entry={entry} /> : <ToolRow entry={entry} />;
    default:
      return <Note text={entry.text} />;
  }
}

function Words({ entry }: { entry: Entry }) {
  const t = chatTexts.value;
  return (
    <article class={`words ${entry.sending ?? ""}`} aria-label={t.you} data-entry={entry.id}>
      <p class="words-text"><Visible text={entry.text} /></p>
      {entry.attachments && entry.attachments.length > 0 && (
        <ul class="attached" aria-label={t.attached(entry.attachments.length)}>
          {entry.attachments.map((one) => <li key={one.id}><AttachedFile attachment={one} /></li>)}
        </ul>
      )}
      {entry.sending === "refused" && (
        <p class="row">
          <span class="problem">{t.notTaken}</span>
          <button type="button" class="plain" onClick={() => void sendAgain(conversationOf.value, entry)}>{t.sendAgain}</button>
        </p>
      )}
    </article>
  );
}

function Reply({ entry }: { entry: Entry }) {
  const t = chatTexts.value;
  if (!entry.text && !entry.thinking && !entry.isStreaming) return null;
  return (
    <article class={`reply ${entry.isStreaming ? "growing" : ""}`} aria-label={t.agent} aria-busy={entry.isStreaming ?? false} data-entry={entry.id}>
      {entry.thinking && <Thinking text={entry.thinking} isGoing={(entry.isStreaming ?? false) && !entry.text} />}
      <GrowingMarkdown text={entry.text} />
      {entry.hasGap && <p class="sub">… {t.gap}</p>}
    </article>
  );
}

/** Closed until a person opens it; what the model says and does matters more. */
function Thinking({ text, isGoing }: { text: string; isGoing: boolean }) {
  const t = chatTexts.value;
  return (
    <details class="talk-note thoughts">
      <summary>{isGoing && <i class="pulse" aria-hidden="true" />}{isGoing ? t.thinksNow : t.thoughts}</summary>
      <p class="words-text"><Visible text={text} /></p>
    </details>
  );
}

/** Completed steps of the plan; the plan itself shows them ticked. */
function CheckedOff({ entry }: { entry: Entry }) {
  return entry.tool?.status === "success" ? <p class="talk-note">✓ <Visible text={entry.text} /></p> : null;
}

function Note({ text }: { text: string }) {
  const [first = "", ...rest] = text.split("\n");
  if (rest.length === 0 && text.length <= LONG_NOTE) return <p class="talk-note"><Visible text={text} /></p>;
  return (
    <details class="talk-note">
      <summary><Visible text={first.length > LONG_NOTE ? `${first.slice(0, 100)}…` : first} /></summary>
      <Markdown text={first.length > LONG_NOTE ? text : rest.join("\n")} />
    </details>
  );
}
