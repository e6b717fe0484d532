import { useEffect, useRef } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { projectName, projects } from "../../../shell/projects";
import { texts } from "../../../store";
import { Agent } from "../../../ui/Agent";
import { lazily } from "../../../ui/Lazy";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { openPanel, showPrompt } from "../actions/panel";
import { titleOf } from "../actions/prompts";
import { cardOf } from "../logic/card";
import { isSettled, type QueuedPrompt } from "../logic/queue";
import { isPanelOpen, queue } from "../store";
import { AnsweredList } from "./AnsweredList";
import { ForeignSource } from "./ForeignSource";
import { NotifyOffer } from "./NotifyOffer";

const TaskBeside = lazily(async () => (await import("./TaskContext")).TaskContext);

/** Everything pending, from every project, oldest first, beside the task that it belongs to. */
export function Inbox() {
  const t = texts.value;
  const { prompts: asked, order, shown } = queue.value;
  const pending = order.map((id) => asked.get(id)).filter((one): one is QueuedPrompt => one !== undefined && !isSettled(one));
  /** Of questions from several projects, each names its own. */
  const hasSeveral = new Set([...projects.value.map(({ path }) => path), ...pending.flatMap(({ request }) => cardOf(request)?.project ?? [])]).size > 1;
  const current = shown === null ? undefined : asked.get(shown);
  const isOnlyOneShown = pending.length === 1 && isPanelOpen.value && pending[0] === current;

  useEffect(() => {
    if (pending.length > 0) openPanel();
  }, []);

  return (
    <div class="inbox-page" data-scroller tabIndex={0} role="group" aria-label={t.pages.inbox}>
      <header class="inbox-head">
        <h1>{t.pages.inbox}</h1>
        <p class="dim">{pending.length > 0 ? t.waiting(pending.length) : `${t.nothingWaiting}${t.betweenSentences}${t.nothingWaitingHint}`}</p>
      </header>
      {pending.length > 0 && !isOnlyOneShown && (
        <section class="waiting-section" aria-label={t.waiting(pending.length)}>
          <ul class="waiting-list">{pending.map((one) => <WaitingRow key={one.request.requestId} asked={one} isShown={isPanelOpen.value && one.request.requestId === shown} hasSeveral={hasSeveral} />)}</ul>
        </section>
      )}
      {current && !isSettled(current) && isPanelOpen.value && <TaskBeside key={current.request.requestId} asked={current} />}
      <NotifyOffer />
      <AnsweredList isOpen={pending.length === 0} />
    </div>
  );
}

function WaitingRow({ asked: { request }, isShown, hasSeveral }: { asked: QueuedPrompt; isShown: boolean; hasSeveral: boolean }) {
  const card = cardOf(request);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => { if (isShown) row.current?.scrollIntoView({ block: "nearest" }); }, [isShown]);
  const agent = card?.agent ?? (request.isOwn === true ? request.askedBy : undefined);
  return (
    <li ref={row}>
      <button type="button" class="waiting-row" aria-current={isShown || undefined} onClick={() => showPrompt(request.requestId)}>
        <span class="waiting-who">
          {agent ? <Agent name={agent} /> : request.isOwn === false ? <ForeignSource request={request} /> : <Visible text={request.prompt.source ?? ""} />}
          {card && hasSeveral && <span class="faint">{visible(projectName(card.project))}</span>}
        </span>
        <Moment at={request.ts} isShort />
        <b><bdi>{titleOf(request)}</bdi></b>
      </button>
    </li>
  );
}
