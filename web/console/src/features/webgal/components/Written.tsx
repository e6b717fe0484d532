import { useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { forgetWritten, undoMend } from "../actions";
import { written } from "../store";
import { words } from "../words";
import { Icon } from "../../../ui/Icon";

/** What was just written, and the way back. */
export function Written() {
  const w = words.value;
  const [error, setError] = useState("");
  if (!written.value) return null;
  return (
    <p class="written" role="status">
      <span>{w.written(visible(written.value.path))}</span>
      <button type="button" class="plain" onClick={() => void undoMend().then(() => setError(""), (failure: unknown) => setError(messageOf(failure)))}>{w.undo}</button>
      {error && <span class="problem">{error}</span>}
      <button type="button" class="icon-button" aria-label={texts.value.browser.close} title={texts.value.browser.close} onClick={forgetWritten}><Icon name="remove" /></button>
    </p>
  );
}
