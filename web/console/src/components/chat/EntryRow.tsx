import { sendAgain } from "../../chat/actions";
import { chatTexts, conversationOf } from "../../chat/store";
import type { Entry } from "../../logic/chat";
import { artifactUrl } from "../../logic/sight";
import { Icon } from "../Icon";
import { Visible } from "../Visible";
import { GrowingMarkdown } from "./GrowingMarkdown";
import { ToolRow } from "./ToolRow";

const LONG_NOTE = 280;

/** One thing that was said or done. */
export function EntryRow({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "user":
      return <Words entry={entry} />;
    case "assistant":
      return <Reply entry={entry} />;
    case "tool":
      return <ToolRow entry={entry} />;
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
        <p class="tags">
          {entry.attachments.map((id, at) => <a key={id} class="chip" href={artifactUrl(id)} target="_blank" rel="noopener noreferrer"><Icon name="clip" />{at + 1}</a>)}
          <span class="sub">{t.attached(entry.attachments.length)}</span>
        </p>
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
  if (!entry.text && !entry.isStreaming) return null;
  return (
    <article class={`reply ${entry.isStreaming ? "growing" : ""}`} aria-label={t.agent} aria-busy={entry.isStreaming ?? false} data-entry={entry.id}>
      <GrowingMarkdown text={entry.text} />
      {entry.hasGap && <p class="sub">… {t.gap}</p>}
    </article>
  );
}

function Note({ text }: { text: string }) {
  const t = chatTexts.value;
  if (text.length <= LONG_NOTE) return <p class="talk-note"><Visible text={text} /></p>;
  return (
    <details class="talk-note">
      <summary>{t.note}: <Visible text={`${text.slice(0, 100)}…`} /></summary>
      <p><Visible text={text} /></p>
    </details>
  );
}
