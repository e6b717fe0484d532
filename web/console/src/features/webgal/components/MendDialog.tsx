import { HostError } from "@handrail/host";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import type { Mend, Wish } from "../logic/game";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { mend, readGame, showMend, startMending } from "../actions";
import { words } from "../words";
import { Diff } from "../../../ui/Diff";

/** What would be written, before it is. What changes meanwhile on disk is told, and nothing is written. */
export function MendDialog({ wish }: { wish: Wish }) {
  const t = texts.value;
  const w = words.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const diff = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Mend | null>(null);
  const [isWriting, setIsWriting] = useState(false);
  const [problem, setProblem] = useState("");

  const look = (): void => {
    setProblem("");
    setShown(null);
    showMend(wish).then(setShown, told);
  };
  function told(failure: unknown): void {
    const isConflict = failure instanceof HostError && failure.status === 409;
    setProblem(isConflict ? w.changed : messageOf(failure));
    setShown(null);
    if (isConflict) void readGame();
  }
  useEffect(() => {
    dialog.current?.showModal();
    look();
  }, []);

  // To be read and scrolled first: the Enter that asked for it must not write it, too.
  useEffect(() => diff.current?.focus(), [shown]);

  async function write(): Promise<void> {
    if (!shown) return;
    setIsWriting(true);
    await mend(wish, shown).then(() => dialog.current?.close(), told);
    setIsWriting(false);
  }

  return (
    <dialog ref={dialog} class="mend" aria-label={w.fixTitle(visible(wish.path))} onClose={() => startMending(null)} onKeyDown={(event) => event.stopPropagation()}>
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
