import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import { Visible } from "../../../ui/Visible";
import { readFile } from "../actions";
import { type Chosen, chooseFile, chooseHunk, type Edit, type Hunk, isChoosable, isHunkChosen, type Item, resolutionOf, type ShownFile, sizeOf, type ItemToTake } from "../logic/items";
import { words } from "../words";
import { Conflict } from "./Conflict";

interface Props {
  run: string;
  item: Item;
  chosen: Chosen;
  choose: (chosen: Chosen) => void;
  saw: (file: ShownFile) => void;
  isBusy: boolean;
  resolve: (item: ItemToTake) => void;
}

/** One file: what to know about it, and its hunks with a checkbox each. */
export function FileView({ run, item, chosen, choose, saw, isBusy, resolve }: Props) {
  const t = words.value;
  const [file, setFile] = useState<ShownFile | null>(null);
  const [failure, setFailure] = useState("");
  const hasContent = !item.refused && !item.files && item.status !== "folder" && item.status !== "folder deleted";
  useEffect(() => {
    if (!hasContent) return;
    readFile(run, item.path).then((found) => {
      setFile(found);
      saw(found);
    }, (fault: unknown) => setFailure(messageOf(fault)));
  }, [run, item.path, item.digest]);
  return (
    <section class="review-view" aria-label={item.path}>
      <header>
        <h2><Visible text={item.path} /></h2>
        <span class="sub">{item.renamedFrom ? <Visible text={t.renamed(item.renamedFrom)} /> : t.status[item.status]}{item.mode ? ` · ${t.mode(item.mode)}` : ""}{item.files ? ` · ${t.filesInside(item.files, sizeOf(item.size ?? 0))}` : ""}</span>
      </header>
      {item.runsLater && <p class="review-mark later"><strong>{t.runsLater}:</strong> <Visible text={item.runsLater} /></p>}
      {item.refused && <p class="review-mark bad"><strong>{t.refused}:</strong> <Visible text={item.refused} /></p>}
      {item.conflict && <p class="review-mark bad"><strong>{t.conflict}:</strong> <Visible text={item.conflictKind ? t.conflicts[item.conflictKind] : item.conflict} /></p>}
      {item.notes?.length ? <p class="review-mark later">{t.setUid}</p> : null}
      {item.link !== undefined && <p class="review-mark"><strong>{t.link}</strong> → <Visible text={item.link} /></p>}
      {item.status === "folder" && <p class="sub">{t.folder}</p>}
      {failure && <p class="problem">{failure}</p>}
      {hasContent && !file && !failure && <p class="nothing">{t.loading}</p>}
      {file?.conflict && <Conflict file={file} isBusy={isBusy} resolve={resolve} />}
      {file && <Content file={file} item={item} chosen={chosen} choose={choose} isBusy={isBusy} resolve={resolve} />}
    </section>
  );
}

type ContentProps = Pick<Props, "item" | "chosen" | "choose" | "isBusy" | "resolve"> & { file: ShownFile };

function Content({ file, item, chosen, choose, isBusy, resolve }: ContentProps) {
  const t = words.value;
  const isWhole = file.isWhole || file.hunks.length === 0;
  return (
    <>
      {isWhole && isChoosable(item) && (
        <label class="review-whole">
          <input type="checkbox" checked={chosen.has(file.path)} onChange={(event) => choose(chooseFile(chosen, file.path, event.currentTarget.checked))} />
          {t.wholeFile}
        </label>
      )}
      {file.isBinary && <p class="sub">{t.binary}</p>}
      {!file.isBinary && isWhole && file.hunks.length === 0 && item.status === "added" && <p class="sub">{t.empty}</p>}
      {file.isCut && <p class="sub">{t.cut}</p>}
      {file.hunks.map((hunk) => <HunkView key={hunk.place} hunk={hunk} isWhole={isWhole} isChosen={isHunkChosen(chosen, file.path, hunk.place)} choose={(isOn) => choose(chooseHunk(chosen, file, hunk.place, isOn))} isBusy={isBusy} takeTheirs={() => resolve(resolutionOf(file, "theirs", hunk.place))} />)}
    </>
  );
}

interface HunkProps {
  hunk: Hunk;
  isWhole: boolean;
  isChosen: boolean;
  choose: (isOn: boolean) => void;
  isBusy: boolean;
  takeTheirs: () => void;
}

function HunkView({ hunk, isWhole, isChosen, choose, isBusy, takeTheirs }: HunkProps) {
  const t = words.value;
  const before = hunk.before ?? [];
  return (
    <div class={`review-hunk ${hunk.state}${isChosen ? " chosen" : ""}`}>
      {!isWhole && (
        <label class="review-hunk-head">
          <input type="checkbox" aria-label={t.chooseHunk(hunk.startOld)} checked={isChosen && hunk.state === "open"} disabled={hunk.state !== "open"} onChange={(event) => choose(event.currentTarget.checked)} />
          {t.line(hunk.startOld)}
          {hunk.state === "conflict" && <span class="chip bad">{t.conflict}</span>}
        </label>
      )}
      {hunk.state === "conflict" && !isWhole && (
        <p class="review-mark bad row">{t.hunkConflict} <button type="button" class="plain" disabled={isBusy} aria-label={t.theirsHere(hunk.startOld)} onClick={takeTheirs}>{t.theirs}</button></p>
      )}
      <div class="diff" role="group" aria-label={t.line(hunk.startOld)} data-digits="4">
        <Lines kind="context" lines={before} start={hunk.startOld - before.length} />
        <Changed edit={hunk} />
        <Lines kind="context" lines={hunk.after ?? []} start={hunk.startOld + hunk.old.length} />
      </div>
      {(hunk.yours ?? []).map((edit) => (
        <div key={edit.startOld} class="review-yours">
          <p class="sub">{t.yourEdit} · {t.line(edit.startOld)}</p>
          <div class="diff" data-digits="4"><Changed edit={edit} /></div>
        </div>
      ))}
    </div>
  );
}

function Changed({ edit }: { edit: Edit }) {
  return (
    <>
      <Lines kind="delete" lines={edit.old} start={edit.startOld} />
      <Lines kind="add" lines={edit.new} start={edit.startOld} />
    </>
  );
}

const MARKS = { add: "+", delete: "−", context: " " } as const;

function Lines({ kind, lines, start }: { kind: keyof typeof MARKS; lines: string[]; start: number }) {
  return (
    <>
      {lines.map((line, at) => (
        <div key={at} class={`diff-line ${kind}`}>
          <span class="number">{kind === "add" ? "" : start + at}</span>
          <span class="number">{kind === "add" ? start + at : ""}</span>
          <span class="content"><span class="mark">{MARKS[kind]}</span><Visible text={line} /></span>
        </div>
      ))}
    </>
  );
}
