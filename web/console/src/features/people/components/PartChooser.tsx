import type { ChangeHunk, ChangePart } from "@handrail/host";
import { texts } from "../../../store";
import { Visible } from "../../../ui/Visible";
import { asWritten, count, isEditable, isEdited, placesOf, chosenPlacesOf, withToggled, type PartChoice } from "../logic/parts";

/** Lets a person choose single hunks or files of a change, or edit the text before approving. */
export function PartChooser({ parts, taking, set }: { parts: readonly ChangePart[]; taking: PartChoice; set: (taking: PartChoice) => void }) {
  const t = texts.value.parts;
  const { all } = count(parts, taking);
  if (all < 2 && !parts.some(isEditable)) return null;
  return (
    <details class="part-chooser">
      <summary>{t.title}</summary>
      {parts.map((part) => <Part key={part.path} part={part} taking={taking} set={set} />)}
    </details>
  );
}

function Part({ part, taking, set }: { part: ChangePart; taking: PartChoice; set: (taking: PartChoice) => void }) {
  const t = texts.value.parts;
  const chosenPlaces = chosenPlacesOf(part, taking);
  const places = placesOf(part);
  const own = taking.texts.get(part.path);
  const write = (text: string | undefined): void => {
    const next = new Map(taking.texts);
    if (text === undefined) next.delete(part.path);
    else next.set(part.path, asWritten(part, text));
    set({ ...taking, texts: next });
  };
  return (
    <fieldset class="part">
      <legend>
        <label>
          <input type="checkbox" checked={chosenPlaces.length > 0} disabled={own !== undefined} ref={(box) => void (box && (box.indeterminate = chosenPlaces.length > 0 && chosenPlaces.length < places.length))} onChange={(event) => set(withToggled(taking, part, places, event.currentTarget.checked))} />
          <code><Visible text={part.path} /></code>
        </label>
        {isEditable(part) && (
          <button type="button" class="quiet" onClick={() => write(own === undefined ? part.content : undefined)}>{own === undefined ? t.edit : t.asProposed}</button>
        )}
      </legend>
      {own !== undefined ? (
        <textarea class="mono" rows={12} spellcheck={false} aria-label={t.textOf(part.path)} data-edited={isEdited(part, taking)} value={own} onInput={(event) => write(event.currentTarget.value)} />
      ) : (
        part.hunks.map((hunk, place) => (
          <label key={place} class="hunk">
            <input type="checkbox" checked={chosenPlaces.includes(place)} onChange={(event) => set(withToggled(taking, part, [place], event.currentTarget.checked))} />
            <span><span class="sub">{t.line(hunk.startNew)}</span><Hunk hunk={hunk} /></span>
          </label>
        ))
      )}
    </fieldset>
  );
}

function Hunk({ hunk: { linesOld, linesNew } }: { hunk: ChangeHunk }) {
  const signed = [...linesOld.map((line) => ["-", line] as const), ...linesNew.map((line) => ["+", line] as const)];
  return <pre>{signed.map(([sign, line], at) => <span key={at} class={sign === "+" ? "added" : "deleted"}>{sign} <Visible text={line} />{"\n"}</span>)}</pre>;
}
