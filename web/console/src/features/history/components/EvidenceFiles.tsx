import { useEffect, useState } from "preact/hooks";
import { readEvidence } from "../actions/calls";
import { messageOf } from "../../../shell/failure";
import { type Call, evidenceUrl, isPicture as isPictureName } from "../logic/calls";
import { texts } from "../../../store";
import { Diff } from "../../../ui/Diff";
import { Enlargeable } from "../../../ui/Enlargeable";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";

const DIFF = "diff.patch";

/** The most telling evidence first: the change, then pictures, then the other files. */
const weight = (file: string): number => (file === DIFF ? 0 : isPictureName(file) ? 1 : 2);

/** The files that show what a call did. `isBrief` leaves out the change and the pictures, which are shown already. */
export function EvidenceFiles({ call, isBrief = false }: { call: Call; isBrief?: boolean }) {
  const files = Object.keys(call.evidence?.sha256 ?? {}).filter((file) => !isBrief || weight(file) === 2).sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1));
  if (files.length === 0) return isBrief ? null : <p class="sub">{texts.value.noEvidence}</p>;
  return <>{files.map((file) => <EvidenceFile key={file} executionId={call.executionId} file={file} />)}</>;
}

/** The diff is drawn at once, pictures are shown, other files open on request. */
function EvidenceFile({ executionId, file }: { executionId: string; file: string }) {
  const url = evidenceUrl(executionId, file);
  const isDiff = file === DIFF;
  const [isOpen, setIsOpen] = useState(isDiff);
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState("");
  const isPicture = isPictureName(file);

  useEffect(() => {
    if (!isOpen || isPicture || text !== null) return;
    readEvidence(url).then(setText, (failure: unknown) => setError(messageOf(failure)));
  }, [isOpen]);

  if (isPicture) {
    return (
      <figure class="exhibit-picture">
        <Enlargeable label={file}><ServerImage url={url} alt={file} /></Enlargeable>
        <figcaption class="sub"><Visible text={file} /></figcaption>
      </figure>
    );
  }
  return (
    <div class="exhibit">
      <button type="button" class="exhibit-name mono" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}><Visible text={file} /></button>
      {isOpen && error && <p class="problem">{error}</p>}
      {isOpen && text !== null && (isDiff ? <Diff text={text} /> : <pre tabIndex={0}><Visible text={text} /></pre>)}
    </div>
  );
}
