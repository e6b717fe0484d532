import { texts } from "../../../store";
import { Enlargeable } from "../../../ui/Enlargeable";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { evidenceUrl, picturesOf, type Call } from "../logic/calls";
import type { TimelineStep } from "../logic/timeline";
import { useAbout } from "./Sentence";

const MOST_PICTURES = 3;

/** A step at a glance: the change, or what was on the screen, also for reads. */
export function Thumbs({ step }: { step: TimelineStep }) {
  const pictures = step.calls.flatMap((call) => picturesOf(call).map((file) => ({ call, file })));
  const diffs = step.isGroup ? [] : step.calls.filter(({ evidence }) => evidence?.sha256["diff.patch"] !== undefined);
  if (pictures.length === 0 && diffs.length === 0) return null;
  return (
    <div class="thumbs">
      {diffs.map((call) => <DiffThumb key={call.executionId} call={call} />)}
      {pictures.slice(0, MOST_PICTURES).map(({ call, file }) => {
        const label = pictureName(file);
        return <Enlargeable key={`${call.executionId}/${file}`} label={label}><ServerImage class="thumb" url={evidenceUrl(call.executionId, file)} alt={label} width={150} height={88} /></Enlargeable>;
      })}
    </div>
  );
}

export function pictureName(file: string): string {
  const t = texts.value;
  return /before/.test(file) ? t.before : /after/.test(file) ? t.after : t.screenshot;
}

function DiffThumb({ call }: { call: Call }) {
  const { gist = [] } = useAbout(call);
  if (gist.length === 0) return null;
  return <div class="thumb thumb-diff" aria-hidden="true">{gist.map(({ kind, text }, at) => <div key={at} class={kind}>{kind === "add" ? "+" : "−"} <Visible text={text} /></div>)}</div>;
}
