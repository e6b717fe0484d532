import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import { connection, texts } from "../../../store";
import { Chunked } from "../../../ui/Chunked";
import { focusBeside } from "../../../ui/focus";
import { LoadMore } from "../../../ui/LoadMore";
import { readCallsPage, type CallsOf } from "../actions/calls";
import { foldRecords, type Call } from "../logic/calls";
import { timelineOf } from "../logic/timeline";
import { calls as newest } from "../store";
import { Step } from "./Step";
import "../timeline.css";

const ROW_HEIGHT = 44;

export interface Story {
  calls: readonly Call[];
  isLoaded: boolean;
  problem: string;
  /** Loads earlier calls; null once everything is loaded. */
  loadEarlier: (() => Promise<void>) | null;
}

/**
 * The calls of a task or of a connection: the newest page first, earlier ones on demand, and new ones as they arrive.
 */
export function useStory(of: CallsOf): Story {
  const [read, setRead] = useState<readonly Call[]>([]);
  const [next, setNext] = useState<string | undefined>(undefined);
  const [isLoaded, setIsLoaded] = useState(false);
  const [problem, setProblem] = useState("");
  const key = JSON.stringify(of);

  useEffect(() => {
    setRead([]);
    setIsLoaded(false);
  }, [key]);
  // Again after every connect, because events may have been missed. What is shown stays until then.
  useEffect(() => {
    if (connection.value === "offline") return;
    let isMeant = true;
    readCallsPage(of).then(
      (page) => {
        if (!isMeant) return;
        setProblem("");
        setRead((before) => foldRecords(before, page.records));
        setNext(page.next);
        setIsLoaded(true);
      },
      (failure: unknown) => isMeant && setProblem(messageOf(failure)),
    );
    return () => { isMeant = false; };
  }, [key, connection.value === "offline"]);

  const calls = useMemo(() => {
    const added = newest.value.filter((call) => ("task" in of ? call.task === of.task : call.caller === of.caller && call.task === undefined));
    return added.length ? foldRecords(read, added) : read;
  }, [read, newest.value, key]);

  async function loadEarlier(): Promise<void> {
    const page = await readCallsPage(of, next);
    setRead((before) => foldRecords(before, page.records));
    setNext(page.next);
  }
  return { calls, isLoaded, problem, loadEarlier: next === undefined ? null : loadEarlier };
}

/** What happened, oldest first; `children` are pending questions. */
export function Timeline({ story, children }: { story: Story; children?: ComponentChildren }) {
  const t = texts.value;
  const steps = useMemo(() => timelineOf(story.calls), [story.calls]);
  if (story.problem && !story.isLoaded) return <p class="problem" role="alert">{story.problem}</p>;
  if (!story.isLoaded) return <p class="nothing">{t.loading}</p>;
  return (
    <>
      {story.loadEarlier && <LoadMore load={story.loadEarlier} />}
      <div class="timeline" role="list" onKeyDown={(event) => focusBeside(event, ".step-open")}>
        <Chunked rows={steps} rowHeight={ROW_HEIGHT} render={(step) => <Step key={step.id} step={step} />} />
        {children}
      </div>
      {steps.length === 0 && !children && <p class="nothing">{t.noCalls}</p>}
    </>
  );
}
