import { useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { forgetLastWrite, undoFix } from "../actions";
import { lastWrite } from "../store";
import { words } from "../words";
import { Icon } from "../../../ui/Icon";

/** What was just written, and a way to undo it. */
export function LastWrite() {
  const w = words.value;
  const [error, setError] = useState("");
  if (!lastWrite.value) return null;
  return (
    <p class="written" role="status">
      <span>{w.written(visible(lastWrite.value.path))}</span>
      <button type="button" class="plain" onClick={() => void undoFix().then(() => setError(""), (failure: unknown) => setError(messageOf(failure)))}>{w.undo}</button>
      {error && <span class="problem">{error}</span>}
      <button type="button" class="icon-button" aria-label={texts.value.browser.close} title={texts.value.browser.close} onClick={forgetLastWrite}><Icon name="remove" /></button>
    </p>
  );
}
