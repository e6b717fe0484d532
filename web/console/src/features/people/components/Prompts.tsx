import { showPrompt } from "../actions/panel";
import { loadOlderPrompts, titleOf } from "../actions/prompts";
import { type Asked, isSettled } from "../logic/queue";
import { history, olderPrompts, queue, waiting } from "../store";
import { texts } from "../../../store";
import { useState } from "preact/hooks";
import { ChangeDetails } from "./ChangeDetails";
import { Chip } from "../../../ui/Chip";
import { Chunked } from "../../../ui/Chunked";
import { LoadMore } from "../../../ui/LoadMore";
import { Markdown } from "../../../ui/Markdown";
import { Moment } from "../../../ui/Moment";
import { Outcome } from "./Outcome";
import { PageHead } from "../../../ui/PageHead";
import { RunChip } from "./RunChip";
import { SourceChip } from "./SourceChip";
import { Visible } from "../../../ui/Visible";

const ROW_HEIGHT = 123;

/** Every question: those that wait, and those that were answered, with who, when and why. */
export function Prompts() {
  const t = texts.value;
  const { asked, order } = queue.value;
  const pending = order.map((id) => asked.get(id)).filter((one): one is Asked => one !== undefined && !isSettled(one));
  return (
    <>
      <PageHead title={t.pages.prompts} sub={t.waiting(waiting.value)} />
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.pages.prompts}>
        <h2>{t.pending}</h2>
        {pending.length === 0 && <p class="nothing">{t.nothingWaiting}</p>}
        <div class="entries" role="list">
          <Chunked rows={pending} rowHeight={56} render={({ request }) => (
            <div key={request.requestId} class="entry" role="listitem">
              <Heading asked={{ request }} />
              <button type="button" class="plain" onClick={() => showPrompt(request.requestId)}>{t.answer}</button>
            </div>
          )} />
        </div>
        <h2>{t.answered}</h2>
        {history.value.length === 0 && <p class="nothing">{t.noneAnswered}</p>}
        <div class="entries" role="list">
          <Chunked rows={history.value} rowHeight={ROW_HEIGHT} render={(one) => <Answered key={one.request.requestId} asked={one} />} />
        </div>
        {olderPrompts.value && <LoadMore load={loadOlderPrompts} />}
      </div>
    </>
  );
}

function Heading({ asked: { request } }: { asked: Asked }) {
  const t = texts.value;
  const { kind } = request.prompt;
  return (
    <div class="entry-head">
      <p class="tags">
        <Chip text={t.kinds[kind] ?? kind} colour={kind === "file_change_confirm" ? "write" : "ask"} />
        <SourceChip request={request} />
        {request.runId && <RunChip runId={request.runId} />}
        <span class="sub">{t.asked} <Moment at={request.ts} /></span>
      </p>
      <p class="entry-title"><bdi>{titleOf(request)}</bdi></p>
    </div>
  );
}

function Answered({ asked }: { asked: Asked }) {
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
        <div class="entry-more">
          {prompt.message && <p class="message"><Visible text={prompt.message} /></p>}
          {prompt.kind === "file_change_confirm" && <ChangeDetails prompt={prompt} />}
          {prompt.kind === "result" && prompt.markdown && <Markdown text={prompt.markdown} />}
        </div>
      )}
    </div>
  );
}
