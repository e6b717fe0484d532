import { useEffect, useState } from "preact/hooks";
import { actOf, shortName } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Moment } from "../../../ui/Moment";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { readEvidence } from "../actions/calls";
import { evidenceUrl, type Call } from "../logic/calls";
import { actsIn, diffGist, targetsOf, verdictOf, type TimelineStep } from "../logic/timeline";
import { undone } from "../store";
import { CallShown } from "./CallDetails";

const PICTURE = /\.(png|jpe?g|webp|gif)$/i;
const MOST_NAMES = 4;
const MOST_PICTURES = 3;
const MARKS = { done: "✓", failed: "!", refused: "–", running: "…" } as const;

/** One sentence of a task's story, with what shows it; the whole record opens below. */
export function Step({ step }: { step: TimelineStep }) {
  const t = texts.value;
  const [isOpen, setIsOpen] = useState(false);
  const [first] = step.calls as [Call];
  const { state } = first;
  const isUndone = step.calls.every(({ executionId }) => undone.value.has(executionId));
  return (
    <div class="step" role="listitem" data-step={step.id}>
      <span class={`step-mark ${state}`} aria-hidden="true">{MARKS[state]}</span>
      <div class="step-line">
        <button type="button" class="step-open" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Sentence step={step} />
          {isUndone && <span class="dim">{t.undone}</span>}
          {state !== "done" && <span class={`state ${state}`}>{t.states[state]}</span>}
          <Allowed call={first} />
        </button>
        <Moment at={first.startedAt} isShort />
      </div>
      {first.error?.message && <p class="step-more problem"><Visible text={first.error.message} /></p>}
      {step.isGroup && <Names step={step} />}
      <Thumbs step={step} />
      {isOpen && <div class="step-record">{step.calls.map((call) => <CallShown key={call.executionId} call={call} />)}</div>}
    </div>
  );
}

export function Sentence({ step }: { step: TimelineStep }) {
  const t = texts.value;
  if (!step.isGroup) return <span><OneSentence call={step.calls[0]!} /></span>;
  const parts = actsIn(step).map(([act, calls]) => {
    const [before, several] = t.acts.did[act];
    const name = calls.length === 1 ? calls[0]!.target : undefined;
    return calls.length === 1 ? <>{before} {name ? <b><Visible text={nameOf(name)} /></b> : null}</> : <>{several(calls.length)}</>;
  });
  return <span>{parts.map((part, at) => <span key={at}>{at > 0 && t.also}{part}</span>)}</span>;
}

/** What an act was about is in its evidence, which is read when the row comes into view. */
function OneSentence({ call }: { call: Call }) {
  const t = texts.value;
  const about = useAbout(call);
  const act = actOf(call.tool ?? "");
  const [before] = t.acts.did[act];
  const object = about.object || call.target || (act === "use" ? call.tool : "") || "";
  const within = about.within && about.within !== object ? about.within : "";
  // What did not happen is told as what was wanted.
  if (call.state === "refused" || call.state === "failed") return <b><Visible text={t.acts.asks[act]({ ...about, object: object || t.acts.unnamed }).replace(/[?？]$/, "")} /></b>;
  return (
    <>
      {before} {object && <b><Visible text={nameOf(object)} /></b>}
      {within && <span class="dim"> · <Visible text={shortName(within)} /></span>}
      {about.added !== undefined && <span class="step-count"><span class="good">+{about.added}</span> <span class="bad">−{about.deleted}</span></span>}
    </>
  );
}

const nameOf = (object: string): string => (object === "." ? texts.value.acts.root : shortName(object));

interface About {
  object?: string;
  within?: string;
  added?: number;
  deleted?: number;
  gist?: ReturnType<typeof diffGist>["lines"];
}

const known = new Map<string, Promise<About>>();

async function readAbout({ executionId }: Call): Promise<About> {
  const request = JSON.parse(await readEvidence(evidenceUrl(executionId, "request.json"))) as { about?: About; diff?: string };
  const { lines: gist, added, deleted } = diffGist(request.diff ?? "");
  return { ...request.about, ...(request.diff === undefined ? {} : { added, deleted, gist }) };
}

function useAbout(call: Call): About {
  const [about, setAbout] = useState<About>({});
  const hasRequest = call.evidence?.sha256["request.json"] !== undefined;
  useEffect(() => {
    if (!hasRequest) return;
    let isMeant = true;
    const reading = known.get(call.executionId) ?? readAbout(call).catch(() => ({}));
    known.set(call.executionId, reading);
    void reading.then((found) => isMeant && setAbout(found));
    return () => { isMeant = false; };
  }, [call.executionId, hasRequest]);
  return about;
}

function Allowed({ call }: { call: Call }) {
  const verdict = verdictOf(call);
  return verdict && <span class="dim">{texts.value.decided[verdict]}{call.answer?.remark && <> “<Visible text={call.answer.remark} />”</>}</span>;
}

function Names({ step }: { step: TimelineStep }) {
  const names = targetsOf(step);
  if (names.length < 2) return null;
  const left = names.length - MOST_NAMES;
  return <p class="step-more dim">{names.slice(0, MOST_NAMES).map((name, at) => <span key={name}>{at > 0 && " · "}<Visible text={name} /></span>)}{left > 0 && ` · ${texts.value.moreNames(left)}`}</p>;
}

function Thumbs({ step }: { step: TimelineStep }) {
  const pictures = step.calls.flatMap((call) => picturesOf(call).map((file) => ({ call, file })));
  const diffs = step.isGroup ? [] : step.calls.filter(({ evidence }) => evidence?.sha256["diff.patch"] !== undefined);
  if (pictures.length === 0 && diffs.length === 0) return null;
  return (
    <div class="thumbs">
      {diffs.map((call) => <DiffThumb key={call.executionId} call={call} />)}
      {pictures.slice(0, MOST_PICTURES).map(({ call, file }) => {
        const label = texts.value.pictureOf(visible(file));
        return <Enlargeable key={`${call.executionId}/${file}`} label={label}><ServerImage class="thumb" url={evidenceUrl(call.executionId, file)} alt={label} width={150} height={88} /></Enlargeable>;
      })}
    </div>
  );
}

/** As it was before, then as it was afterwards. */
export function picturesOf({ evidence }: Call): string[] {
  const weight = (file: string): number => (/before/.test(file) ? 0 : /after/.test(file) ? 1 : 2);
  return Object.keys(evidence?.sha256 ?? {}).filter((file) => PICTURE.test(file)).sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1));
}

function DiffThumb({ call }: { call: Call }) {
  const { gist = [] } = useAbout(call);
  if (gist.length === 0) return null;
  return <div class="thumb thumb-diff" aria-hidden="true">{gist.map(({ kind, text }, at) => <div key={at} class={kind}>{kind === "add" ? "+" : "−"} <Visible text={text} /></div>)}</div>;
}
