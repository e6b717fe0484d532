import type { RequestEntry } from "@handrail/host";
import { useContext, useEffect, useRef } from "preact/hooks";
import { leaveSettled, showInPlace } from "../actions/panel";
import { titleOf } from "../actions/prompts";
import type { QueuedPrompt } from "../logic/queue";
import { isSettled } from "../logic/queue";
import { translateFailure } from "../../../logic/serverText";
import { texts } from "../../../store";
import { AnswerForm, InPlace } from "./AnswerForm";
import { cardOf } from "../logic/card";
import { CardHead, Seal } from "./CardHead";
import { ChangeForm } from "./ChangeForm";
import { ForeignSource } from "./ForeignSource";
import { ChoiceForm } from "./ChoiceForm";
import { KvForm } from "./KvForm";
import { Markdown } from "../../../ui/Markdown";
import { Moment } from "../../../ui/Moment";
import { Outcome } from "./Outcome";
import { RunChip } from "./RunChip";
import { SourceChip } from "./SourceChip";
import { TaskForm } from "./TaskForm";
import { useCaller } from "./useCaller";
import { Visible } from "../../../ui/Visible";

/** One prompt of the queue. Hidden ones stay in the document, so that going back finds what was typed. */
export function PromptCard({ asked, isShown }: { asked: QueuedPrompt; isShown: boolean }) {
  const t = texts.value;
  const { request } = asked;
  const { kind } = request.prompt;
  const isInPlace = useContext(InPlace) !== null;
  const card = cardOf(request);
  const caller = useCaller(request);
  useEffect(() => (isInPlace ? showInPlace(request.requestId) : undefined), [request.requestId]);
  const isUnheard = caller !== "waiting" && !isSettled(asked) && kind !== "result" && kind !== "unreadable";
  return (
    <article class={`prompt ${request.isOwn === false ? "foreign" : ""}`} hidden={!isShown} data-request={request.requestId}>
      <header class="head">
        {card && request.prompt.kind === "file_change_confirm" ? (
          <CardHead card={card} request={request} prompt={request.prompt} />
        ) : (
          <>
            <div class="ask-who">
              {request.isOwn === false ? <ForeignSource request={request} /> : <SourceChip request={request} />}
              <span class="faint"><Moment at={request.ts} isShort /></span>
              {request.isOwn === true && <Seal />}
            </div>
            <h2 tabIndex={-1}><bdi>{titleOf(request)}</bdi></h2>
            {!isInPlace && <RunChip request={request} />}
          </>
        )}
        {isUnheard && <p class={caller === "gone" ? "gone" : "faint"}>{kind === "file_change_confirm" && request.isOwn !== false && caller === "gone" ? t.callers.approval : t.callers[caller]}</p>}
      </header>
      {isSettled(asked) ? <Settled asked={asked} /> : <Form request={request} isShown={isShown} />}
    </article>
  );
}

function Form({ request, isShown }: { request: RequestEntry; isShown: boolean }) {
  const t = texts.value;
  const { prompt } = request;
  switch (prompt.kind) {
    case "kv":
      return <KvForm request={request} prompt={prompt} isShown={isShown} />;
    case "choice":
      return <ChoiceForm request={request} prompt={prompt} isShown={isShown} />;
    case "task_confirm":
      return <TaskForm request={request} prompt={prompt} isShown={isShown} />;
    case "file_change_confirm":
      return <ChangeForm request={request} prompt={prompt} isShown={isShown} />;
    case "result":
      return (
        <AnswerForm request={request} isShown={isShown} yes={t.understood} no={t.cancel} isNews collect={() => ({ status: "ok" })}>
          {prompt.markdown && <Markdown text={prompt.markdown} />}
        </AnswerForm>
      );
    case "unreadable":
      return (
        <AnswerForm request={request} isShown={isShown} no={t.cancel} collect={() => null} message={t.unreadable}>
          <p class="problem"><Visible text={translateFailure(prompt.reason, "InvalidParams")} /></p>
          <pre class="raw"><Visible text={prompt.raw} /></pre>
        </AnswerForm>
      );
    default:
      return <p class="message">{t.unknownKind}</p>;
  }
}

/** How long a question that was answered elsewhere stays, unless it is pointed at or has the focus. */
const QUIET_MS = 15_000;

/**
 * It was answered elsewhere. The next prompt waits for a confirmation, so that no click meant for this one reaches it;
 * later it disappears by itself.
 */
function Settled({ asked }: { asked: QueuedPrompt }) {
  const t = texts.value;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked.isTooLate) return;
    const leaving = setInterval(() => {
      const card = place.current?.closest(".prompt");
      if (card && !card.matches(":hover, :focus-within, [hidden]")) leaveSettled();
    }, QUIET_MS);
    return () => clearInterval(leaving);
  }, [asked.isTooLate]);
  return (
    <div class="settled" ref={place}>
      <p role="status">{asked.response ? t.answeredElsewhere : t.withdrawn}</p>
      {asked.isTooLate && <p class="problem">{t.tooLate}</p>}
      <Outcome asked={asked} />
      <button type="button" class="primary" onClick={leaveSettled}>{t.goOn}</button>
    </div>
  );
}
