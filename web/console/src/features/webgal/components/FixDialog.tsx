import { HostError } from "@handrail/host";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import type { Fix, FixTarget } from "../logic/game";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { applyFix, readGame, previewFix, startFix } from "../actions";
import { words } from "../words";
import { Diff } from "../../../ui/Diff";

/**
 * Shows a fix before it is written. If the file changes on disk in the meantime, that is reported and nothing is
 * written.
 */
export function FixDialog({ wish }: { wish: FixTarget }) {
  const t = texts.value;
  const w = words.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const diff = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Fix | null>(null);
  const [isWriting, setIsWriting] = useState(false);
  const [problem, setProblem] = useState("");

  const look = (): void => {
    setProblem("");
    setShown(null);
    previewFix(wish).then(setShown, reportFailure);
  };
  function reportFailure(failure: unknown): void {
    const isConflict = failure instanceof HostError && failure.status === 409;
    setProblem(isConflict ? w.changed : messageOf(failure));
    setShown(null);
    if (isConflict) void readGame();
  }
  useEffect(() => {
    dialog.current?.showModal();
    look();
  }, []);

  // The diff gets the focus for scrolling, so that the Enter key that opened the dialog doesn't confirm it, too.
  useEffect(() => diff.current?.focus(), [shown]);

  async function write(): Promise<void> {
    if (!shown) return;
    setIsWriting(true);
    await applyFix(wish, shown).then(() => dialog.current?.close(), reportFailure);
    setIsWriting(false);
  }

  return (
    <dialog ref={dialog} class="mend" aria-label={w.fixTitle(visible(wish.path))} onClose={() => startFix(null)} onKeyDown={(event) => event.stopPropagation()}>
      <h2>{w.fixTitle(visible(wish.path))}</h2>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {!shown && !problem && <p class="nothing">{t.loading}</p>}
      {shown && (
        <>
          <p class="sub">{w.fixHint}</p>
          <div ref={diff} class="mend-diff" data-scroller tabIndex={0} role="group" aria-label={t.diff}><Diff text={shown.diff} /></div>
        </>
      )}
      <p class="row">
        {shown && <button type="button" class="primary" disabled={isWriting} onClick={() => void write()}>{isWriting ? w.writing : w.write}</button>}
        {problem && <button type="button" class="primary" onClick={look}>{w.lookAgain}</button>}
        <button type="button" class="plain" onClick={() => dialog.current?.close()}>{t.cancel}</button>
      </p>
    </dialog>
  );
}
