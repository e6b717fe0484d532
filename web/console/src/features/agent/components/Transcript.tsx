import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { loadOlder } from "../actions/following";
import { pendingPrompts, chatTexts, conversation, isAsking, isCaged } from "../store";
import { chunksOf, keyOf } from "../logic/chat";
import { InPlace } from "../../people/components/AnswerForm";
import { Boundary } from "../../../ui/Boundary";
import { Icon } from "../../../ui/Icon";
import { LoadMore } from "../../../ui/LoadMore";
import { PromptCard } from "../../people/components/PromptCard";
import { Chunk, useDistantChunks } from "./Chunk";
import { TroubleCard } from "./TroubleCard";
import "../transcript.css";

const NEAR_END = 60;
const PLACE = { isTold: (message: string): boolean => conversation.value.entries.some(({ kind, text }) => kind === "assistant" && text.startsWith(message)) };

/** The conversation, newest at the end. It stays at the end unless the person scrolls up. */
export function Transcript({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  const { entries, next, run, trouble } = conversation.value;
  const area = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const topBefore = useRef(0);
  const heightBefore = useRef(0);
  const leftAt = useRef("");
  const firstBefore = useRef("");
  const [isAway, setIsAway] = useState(false);
  const { far, observe } = useDistantChunks(area);

  const [first, last] = [entries[0], entries.at(-1)];
  const firstKey = first ? keyOf(first) : "";
  const lastKey = last ? `${keyOf(last)} ${pendingPrompts.value.length}` : "";
  // Measured before older entries are added above, so that the visible part stays in place.
  const isGrownAbove = firstBefore.current !== "" && firstBefore.current !== firstKey && !isAtEnd.current;
  const toEnd = isGrownAbove && area.current ? area.current.scrollHeight - area.current.scrollTop : null;

  useLayoutEffect(() => {
    if (toEnd !== null && area.current) area.current.scrollTop = area.current.scrollHeight - toEnd;
    firstBefore.current = firstKey;
  }, [firstKey]);

  // Set before anything measures the view: the newest is visible, and nothing older has to be loaded for it.
  useLayoutEffect(() => {
    if (area.current) area.current.scrollTop = area.current.scrollHeight;
  }, []);

  useEffect(() => {
    const [scrolling, growing] = [area.current, content.current];
    if (!scrolling || !growing) return;
    const stay = (): void => {
      if (isAtEnd.current) scrolling.scrollTop = scrolling.scrollHeight;
      // A list that became shorter has moved by itself; the person has not scrolled.
      [topBefore.current, heightBefore.current] = [scrolling.scrollTop, scrolling.scrollHeight];
    };
    const watch = new ResizeObserver(stay);
    watch.observe(growing);
    watch.observe(scrolling);
    return () => watch.disconnect();
  }, []);

  const look = (): void => {
    const scrolling = area.current;
    if (!scrolling) return;
    const isNear = scrolling.scrollHeight - scrolling.scrollTop - scrolling.clientHeight < NEAR_END;
    const hasGoneUp = scrolling.scrollTop < topBefore.current && scrolling.scrollHeight >= heightBefore.current;
    [topBefore.current, heightBefore.current] = [scrolling.scrollTop, scrolling.scrollHeight];
    // Content that has just grown below the end isn't a person's action: only scrolling up leaves the end.
    const isNow = isNear || (isAtEnd.current && !hasGoneUp);
    if (!isNow && !isAway) leftAt.current = lastKey;
    isAtEnd.current = isNow;
    setIsAway(!isNow);
  };
  const goToEnd = (): void => {
    isAtEnd.current = true;
    setIsAway(false);
    area.current?.scrollTo({ top: area.current.scrollHeight });
  };
  // A person who sends a message wants to see the reply.
  useLayoutEffect(() => {
    if (last?.sending === "sent") goToEnd();
  }, [last?.id]);

  /** What a person unfolds stays under the pointer and isn't pushed up by its own growth. */
  const letGrow = (target: EventTarget | null): void => {
    if (!(target instanceof Element) || !target.closest("[aria-expanded], summary")) return;
    isAtEnd.current = false;
    requestAnimationFrame(look);
  };

  return (
    <div class="transcript">
      <div class="transcript-area" ref={area} data-scroller tabIndex={0} role="log" aria-live="off" aria-label={t.conversation} onScroll={look} onClickCapture={(event) => letGrow(event.target)}>
        <div class="transcript-content" ref={content}>
          <h2 class="unseen">{t.conversation}</h2>
          {next !== undefined && <LoadMore load={loadOlder} />}
          {[...chunksOf(entries)].map(([key, part]) => <Chunk key={key} name={key} entries={part} height={far.get(key)} observe={observe} />)}
          {run?.status === "running" && !isAsking.value && !last?.isStreaming && <p class="thinking" role="status"><i class="pulse" aria-hidden="true" />{t.thinking}</p>}
          {pendingPrompts.value.map((one) => (
            <div key={one.request.requestId} class="in-place">
              <InPlace.Provider value={PLACE}><Boundary><PromptCard asked={one} isShown /></Boundary></InPlace.Provider>
            </div>
          ))}
          {run && isCaged.value && run.status !== "running" && <p class="sub">{t.staysInCage} <a href="#/review">{t.toReview}</a></p>}
          {trouble && <TroubleCard taskId={taskId} trouble={trouble} run={run} />}
        </div>
      </div>
      {isAway && (
        <button type="button" class={`to-end ${leftAt.current === lastKey ? "" : "with-new"}`} onClick={goToEnd}>
          <Icon name="down" /> {leftAt.current === lastKey ? t.toNewest : t.newMessages}
        </button>
      )}
    </div>
  );
}
