import { useEffect, useState } from "preact/hooks";
import { actOf, isOnElement, objectOf, shortName, typedText } from "../../../logic/acts";
import { texts } from "../../../store";
import { Visible } from "../../../ui/Visible";
import { readEvidence, readQuestion } from "../actions/calls";
import { evidenceUrl, type Call } from "../logic/calls";
import { actsIn, diffGist, type TimelineStep } from "../logic/timeline";

/** What was done, as one sentence: "Read 6 files and searched for …". */
export function Sentence({ step }: { step: TimelineStep }) {
  const t = texts.value;
  if (!step.isGroup) return <span><OneSentence call={step.calls[0]!} /></span>;
  const parts = actsIn(step);
  return (
    <span>
      {parts.map(([, calls], at) => (
        <span key={at}>{at > 0 && (at === parts.length - 1 ? t.and : t.also)}<Part calls={calls} isFirst={at === 0} /></span>
      ))}
    </span>
  );
}

function Part({ calls, isFirst }: { calls: readonly Call[]; isFirst: boolean }) {
  const [first] = calls as [Call];
  const [words, object] = phraseOf(first);
  const text = calls.length > 1 ? texts.value.acts.did[actOf(first.tool ?? "")][1](calls.length) : words;
  return <>{isFirst ? text : text.charAt(0).toLowerCase() + text.slice(1)}{calls.length === 1 && object && <> <b><Visible text={nameOf(object)} /></b></>}</>;
}

/** The verb phrase and its object; the object is empty if the phrase says everything. */
export function phraseOf({ tool = "", target = "", effect }: Call, about = ""): [words: string, object: string] {
  const t = texts.value.acts;
  const act = actOf(tool);
  const typed = typedText(target);
  const object = about || typed || target || objectOf(tool);
  if (typed !== undefined) return [t.typedIn, object];
  if (!object && t.tools[tool]) return [t.tools[tool], ""];
  if (!object && t.alone[act]) return [t.alone[act], ""];
  if (act === "edit" && effect === "READ") return [t.tried, object];
  return [t.did[act][0], object || (act === "use" ? tool : "")];
}

/** The target of an action is in its evidence, which is read when the row comes into view; what was asked is in the queue. */
export function OneSentence({ call }: { call: Call }) {
  const t = texts.value;
  const about = useAbout(call);
  const act = actOf(call.tool ?? "");
  const [words, named] = phraseOf(call, about.object);
  // Of a call that ended before its element was found, only the place is known.
  const isPlace = isOnElement(act) && !about.object && /^https?:/.test(named);
  const object = isPlace ? "" : named;
  const place = isPlace ? named : (about.within ?? "");
  const within = place !== object ? place : "";
  // What hasn't happened, or may not have, is worded as a request.
  if (call.state !== "done") return <b><Visible text={t.acts.asks[act]({ ...about, within: place, ...(typedText(call.target ?? "") === undefined ? {} : { kind: "input" }), object: object || (isOnElement(act) ? "" : t.acts.unnamed) }).replace(/[?？]$/, "")} /></b>;
  return (
    <>
      {words} {object && <b><Visible text={nameOf(object)} /></b>}
      {within && <span class="dim"> · <Visible text={shortName(within)} /></span>}
      {about.added !== undefined && <span class="step-count"><span class="good">+{about.added}</span> <span class="bad">−{about.deleted}</span></span>}
    </>
  );
}

export const nameOf = (object: string): string => (object === "." ? texts.value.acts.root : shortName(object));

interface About {
  object?: string;
  within?: string;
  params?: Record<string, unknown>;
  added?: number;
  deleted?: number;
  gist?: ReturnType<typeof diffGist>["lines"];
}

const aboutByExecution = new Map<string, Promise<About>>();

async function readAbout({ executionId }: Call): Promise<About> {
  const request = JSON.parse(await readEvidence(evidenceUrl(executionId, "request.json"))) as { about?: About; diff?: string; params?: Record<string, unknown> };
  const { lines: gist, added, deleted } = diffGist(request.diff ?? "");
  return { ...request.about, ...(request.params ? { params: request.params } : {}), ...(request.diff === undefined ? {} : { added, deleted, gist }) };
}

const LONGEST_QUESTION = 200;

async function readAsked({ executionId }: Call): Promise<About> {
  const question = await readQuestion(executionId);
  return question ? { object: `“${question.length > LONGEST_QUESTION ? `${question.slice(0, LONGEST_QUESTION)}…` : question}”` } : {};
}

export function useAbout(call: Call): About {
  const [about, setAbout] = useState<About>({});
  const asks = actOf(call.tool ?? "") === "ask";
  const canRead = asks ? call.state !== "running" : call.evidence?.sha256["request.json"] !== undefined;
  useEffect(() => {
    if (!canRead) return;
    let isMeant = true;
    const reading = aboutByExecution.get(call.executionId) ?? (asks ? readAsked(call) : readAbout(call)).catch(() => ({}));
    aboutByExecution.set(call.executionId, reading);
    void reading.then((found) => isMeant && setAbout(found));
    return () => { isMeant = false; };
  }, [call.executionId, canRead]);
  return about;
}
