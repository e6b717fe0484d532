import { useEffect, useState } from "preact/hooks";
import type { Entry } from "../../agent/logic/chat";
import { argumentsText } from "../../agent/logic/toolHint";
import { translateFailure } from "../../../logic/serverText";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Diff } from "../../../ui/Diff";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Facts } from "../../../ui/Facts";
import { formatDuration, Moment } from "../../../ui/Moment";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { readEvidence } from "../actions/calls";
import { evidenceUrl, picturesOf, type Call } from "../logic/calls";
import type { TimelineStep } from "../logic/timeline";
import { CallRecord } from "./CallDetails";
import { nameOf, Sentence, useAbout } from "./Sentence";
import { Allowed, wasAnswered } from "./Step";
import { pictureName } from "./Thumbs";

const DIFF = "diff.patch";
const MOST_CALLS = 12;
const MOST_TEXT = 4000;

export interface Picture {
  call: Call;
  file: string;
}

/** What agent and tools said to each other, by call; only conversations have it. */
export type Exchanges = ReadonlyMap<string, Entry>;

/** One step of the replay. If neither a picture nor a change shows it, its request and result are shown. */
export function Frame({ step, exchanges, lastSeen }: { step: TimelineStep; exchanges: Exchanges; lastSeen: Picture | undefined }) {
  const t = texts.value;
  const [first] = step.calls as [Call];
  const pictures = step.calls.flatMap((call) => picturesOf(call).map((file) => ({ call, file })));
  const isTold = (call: Call): boolean => exchanges.has(call.executionId) || call.evidence !== undefined || !step.isGroup;
  const [told, plain] = [step.calls.filter(isTold), step.calls.filter((call) => !isTold(call))];
  const shows = pictures.length > 0 || first.evidence?.sha256[DIFF] !== undefined;
  return (
    <article class="frame">
      {pictures.length > 0 && <div class="stage">{pictures.slice(0, 2).map((picture) => <StepPicture key={`${picture.call.executionId}/${picture.file}`} {...picture} label={pictureName(picture.file)} />)}</div>}
      <h2><Sentence step={step} /></h2>
      <p class="dim"><Moment at={first.startedAt} /> · {t.states[first.state]} <Allowed call={first} /></p>
      {first.error?.message && !wasAnswered(first) && <p class="problem"><Visible text={translateFailure(first.error.message, first.error.condition)} /></p>}
      {first.evidence?.sha256[DIFF] !== undefined && <Change call={first} />}
      {!shows && (
        <div class={lastSeen ? "frame-columns" : ""}>
          <div class="frame-calls">
            {plain.length > 0 && <CallList calls={plain} />}
            {told.slice(0, MOST_CALLS).map((call) => <CallText key={call.executionId} call={call} exchange={exchanges.get(call.executionId)} />)}
          </div>
          {lastSeen && <StepPicture {...lastSeen} label={t.lastSeen} />}
        </div>
      )}
      {!step.isGroup && <CallRecord call={first} />}
    </article>
  );
}

function StepPicture({ call, file, label }: Picture & { label: string }) {
  return (
    <figure>
      <Enlargeable label={label}><ServerImage url={evidenceUrl(call.executionId, file)} alt={label} /></Enlargeable>
      <figcaption>{label} · <Moment at={call.startedAt} /></figcaption>
    </figure>
  );
}

function Change({ call }: { call: Call }) {
  const diff = useEvidence(call, DIFF);
  return diff ? <Diff text={diff} /> : null;
}

/** Calls of which only the names are stored, one per line. */
function CallList({ calls }: { calls: readonly Call[] }) {
  return (
    <ul class="told listed">
      {calls.map(({ executionId, tool = "", target, durationMs }) => (
        <li key={executionId}><Visible text={nameOf(target ?? tool)} /> <span class="dim">{[tool, durationMs === undefined ? "" : formatDuration(durationMs)].filter(Boolean).join(" · ")}</span></li>
      ))}
    </ul>
  );
}

/** A call as text: its tool, its target, its request and its result. */
function CallText({ call, exchange }: { call: Call; exchange: Entry | undefined }) {
  const t = texts.value;
  const { params } = useAbout(call);
  const result = useEvidence(call, "result.json");
  const request = exchange ? argumentsText(exchange.tool?.arguments) : params ? JSON.stringify(params, null, 2) : "";
  const response = exchange?.text || result;
  return (
    <section class="told">
      <Facts facts={[[t.toolName, call.tool], [t.target, call.target], [t.took, call.durationMs === undefined ? undefined : formatDuration(call.durationMs)]]} />
      {request && <><h3>{t.request}</h3><pre tabIndex={0}>{visible(request.slice(0, MOST_TEXT))}</pre></>}
      {response && <><h3>{t.result}</h3><pre tabIndex={0}>{visible(readable(response).slice(0, MOST_TEXT))}</pre></>}
    </section>
  );
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function useEvidence(call: Call, file: string): string {
  const [text, setText] = useState("");
  const isThere = call.evidence?.sha256[file] !== undefined;
  useEffect(() => {
    if (!isThere) return;
    let isMeant = true;
    readEvidence(evidenceUrl(call.executionId, file)).then((found) => isMeant && setText(found), () => undefined);
    return () => { isMeant = false; };
  }, [call.executionId, file, isThere]);
  return text;
}
