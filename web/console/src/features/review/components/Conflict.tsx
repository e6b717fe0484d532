import { useState } from "preact/hooks";
import { resolutionOf, type ShownFile, type ItemToTake } from "../logic/items";
import { words } from "../words";

/** Ways to resolve a file's conflicts: the agent's side, the person's own, or both in a text to edit. */
export function Conflict({ file, isBusy, resolve }: { file: ShownFile; isBusy: boolean; resolve: (item: ItemToTake) => void }) {
  const t = words.value;
  const [text, setText] = useState<string | null>(null);
  return (
    <div class="review-resolve" role="group" aria-label={t.resolve}>
      <div class="row">
        <button type="button" class="plain" disabled={isBusy} onClick={() => resolve(resolutionOf(file, "mine"))}>{t.mine}</button>
        <button type="button" class="plain" disabled={isBusy} onClick={() => resolve(resolutionOf(file, "theirs"))}>{t.theirs}</button>
        {file.draft !== undefined && text === null && <button type="button" class="plain" disabled={isBusy} onClick={() => setText(file.draft ?? "")}>{t.edit}</button>}
      </div>
      {text !== null && (
        <>
          <p class="sub">{t.editHint}</p>
          <textarea aria-label={t.editFile(file.path)} rows={16} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          <div class="row">
            <button type="button" class="primary" disabled={isBusy || text === file.draft} onClick={() => resolve(resolutionOf(file, { content: text }))}>{t.saveEdit}</button>
            <button type="button" class="plain" onClick={() => setText(null)}>{t.cancelEdit}</button>
          </div>
        </>
      )}
    </div>
  );
}
