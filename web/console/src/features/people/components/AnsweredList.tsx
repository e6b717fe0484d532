import { loadOlderPrompts, titleOf } from "../actions/prompts";
import type { QueuedPrompt } from "../logic/queue";
import { history, olderPrompts } from "../store";
import { texts } from "../../../store";
import { useState } from "preact/hooks";
import { Chip } from "../../../ui/Chip";
import { Chunked } from "../../../ui/Chunked";
import { lazily } from "../../../ui/Lazy";
import { LoadMore } from "../../../ui/LoadMore";
import { Moment } from "../../../ui/Moment";
import { Outcome } from "./Outcome";
import { RunChip } from "./RunChip";
import { SourceChip } from "./SourceChip";

const AnsweredMore = lazily(async () => (await import("./AnsweredMore")).AnsweredMore);
const ROW_HEIGHT = 123;

/** Answered questions, with who, when and why; folded while something is pending. */
export function AnsweredList({ isOpen }: { isOpen: boolean }) {
  const t = texts.value;
  if (history.value.length === 0) return null;
  return (
    <details class="answered-list" open={isOpen}>
      <summary><h2>{t.answered}</h2></summary>
      <div class="entries" role="list">
        <Chunked rows={history.value} rowHeight={ROW_HEIGHT} render={(one) => <Answered key={one.request.requestId} asked={one} />} />
      </div>
      {olderPrompts.value && <LoadMore load={loadOlderPrompts} />}
    </details>
  );
}

function Heading({ asked: { request } }: { asked: QueuedPrompt }) {
  const t = texts.value;
  const { kind } = request.prompt;
  return (
    <div class="entry-head">
      <p class="tags">
        <Chip text={t.kinds[kind] ?? kind} colour={kind === "file_change_confirm" ? "write" : "ask"} />
        <SourceChip request={request} />
        <RunChip request={request} />
        <span class="sub">{t.asked} <Moment at={request.ts} /></span>
      </p>
      <p class="entry-title"><bdi>{titleOf(request)}</bdi></p>
    </div>
  );
}

function Answered({ asked }: { asked: QueuedPrompt }) {
  const t = texts.value;
  const [isOpen, setIsOpen] = useState(false);
  const { prompt } = asked.request;
  const hasMore = Boolean(prompt.message || prompt.kind === "file_change_confirm" || prompt.kind === "result");
  return (
    <div class="entry answered" role="listitem">
      <Heading asked={asked} />
      <Outcome asked={asked} />
      {hasMore && (
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>{t.details}</button>
      )}
      {isOpen && (
        <div class="entry-more"><AnsweredMore request={asked.request} /></div>
      )}
    </div>
  );
}
