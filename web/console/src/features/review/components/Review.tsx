import { useEffect, useState } from "preact/hooks";
import { announcement } from "../../../store";
import { messageOf } from "../../../shell/failure";
import { Moment } from "../../../ui/Moment";
import { PageHead } from "../../../ui/PageHead";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";
import { discard, readItems, readRuns, type Run, type Taken, takeItems, undo } from "../actions";
import { type Chosen, firstPath, type Item, isChoosable, itemsToTake, type ItemToTake } from "../logic/items";
import "../review.css";
import { words } from "../words";
import { Commits } from "./Commits";
import { FileList } from "./FileList";
import { FileView } from "./FileView";

/** What agents changed in their cages: runs, files and hunks, to accept or discard. */
export function Review() {
  const t = words.value;
  const { data: runs, error, again } = useLoaded(readRuns);
  const [picked, setPicked] = useState("");
  const run = runs?.find((one) => one.id === picked) ?? runs?.[0];
  return (
    <div class="review-page">
      <PageHead title={t.title} sub={t.sub}>
        {runs && runs.length > 1 && <RunPicker runs={runs} picked={run?.id ?? ""} pick={setPicked} />}
      </PageHead>
      {error && <p class="problem review-note">{error}</p>}
      {!runs && !error && <p class="nothing review-note">{t.loading}</p>}
      {runs?.length === 0 && <NoRuns />}
      {run && <OneRun key={run.id} run={run} again={again} />}
    </div>
  );
}

function NoRuns() {
  const t = words.value;
  return (
    <section class="card review-none">
      <h2>{t.none}</h2>
      <p class="sub">{t.noneHint}</p>
      <pre tabIndex={0}>handrail run -- claude</pre>
    </section>
  );
}

function RunPicker({ runs, picked, pick }: { runs: Run[]; picked: string; pick: (id: string) => void }) {
  const t = words.value;
  return (
    <div class="field">
      <label for="review-run">{t.run}</label>
      <select id="review-run" value={picked} onChange={(event) => pick(event.currentTarget.value)}>
        {runs.map((run) => (
          <option key={run.id} value={run.id}>{`${run.client || run.command[0]} · ${run.id} · ${t.changes(run.changes ?? 0)}`}</option>
        ))}
      </select>
    </div>
  );
}

function OneRun({ run, again }: { run: Run; again: () => void }) {
  const t = words.value;
  const [items, setItems] = useState<Item[] | null>(null);
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const [path, setPath] = useState("");
  const [failure, setFailure] = useState(run.problem ?? "");
  const [taken, setTaken] = useState<Taken | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);

  const load = async (): Promise<void> => {
    if (run.problem) return;
    try {
      const result = await readItems(run.id);
      setItems(result);
      setChosen(new Map());
      setSeen(new Map());
      setPath((before) => (result.some((item) => item.path === before) ? before : firstPath(result)));
    } catch (fault) {
      setFailure(messageOf(fault));
    }
  };
  useEffect(() => void load(), [run.id]);

  const during = async (work: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setFailure("");
    try {
      await work();
    } catch (fault) {
      setFailure(messageOf(fault));
    }
    await load();
    setIsBusy(false);
  };
  const show = (result: Taken): void => {
    setTaken(result);
    announcement.value = result.result.taken ? t.took(result.result.taken) : t.nothingTaken;
  };
  const take = (wantedItems: ItemToTake[]): Promise<void> => during(async () => show(await takeItems(run.id, wantedItems)));
  const takeAll = (): Promise<void> => take((items ?? []).filter((item) => isChoosable(item) && item.group !== "ignored").map(({ path: name, digest }) => ({ path: name, ...(digest ? { digest } : {}) })));
  const undoTaken = (result: Taken): Promise<void> => during(async () => {
    await undo(result.executionId);
    setTaken(null);
    announcement.value = t.undone;
  });
  const discardAll = (): Promise<void> => during(async () => {
    await discard(run.id);
    announcement.value = t.discarded;
    again();
  });
  const item = items?.find((one) => one.path === path);

  return (
    <>
      <div class="review-bar">
        <strong><Visible text={run.client || run.command.join(" ")} /></strong>
        <span class="sub">{run.isRunning ? t.running : t.ended} · <Moment at={run.endedAt ?? run.startedAt} /> · {t.changes(items?.length ?? run.changes ?? 0)}</span>
        <span class="review-actions row">
          <button type="button" class="plain" disabled={isBusy} onClick={() => void during(async () => {})}>{t.again}</button>
          {!isAsking && <button type="button" class="plain" disabled={isBusy || run.isRunning} onClick={() => setIsAsking(true)}>{t.discard}</button>}
          <button type="button" class="plain" disabled={isBusy || !items?.some(isChoosable)} onClick={() => void takeAll()}>{t.takeAll}</button>
          <button type="button" class="primary" disabled={isBusy || chosen.size === 0} onClick={() => void take(itemsToTake(chosen, items ?? [], seen))}>{t.takeChosen(chosen.size)}</button>
        </span>
      </div>
      {isAsking && (
        <div class="review-ask" role="alertdialog" aria-label={t.discardWarning}>
          <span>{t.discardWarning}</span>
          <button type="button" class="plain" onClick={() => setIsAsking(false)}>{t.keep}</button>
          <button type="button" class="review-discard" disabled={isBusy} onClick={() => void discardAll()}>{t.discardAll}</button>
        </div>
      )}
      {failure && <p class="problem review-note" role="alert"><Visible text={failure} /></p>}
      {taken && <TakenNote taken={taken} isBusy={isBusy} undo={() => void undoTaken(taken)} />}
      {!items && !failure && <p class="nothing review-note">{t.loading}</p>}
      {items && (
        <div class="review-bench">
          <FileList items={items} chosen={chosen} choose={setChosen} path={path} open={setPath} />
          <div class="review-file" data-scroller>
            {item ? <FileView key={`${item.path} ${item.digest ?? ""}`} run={run.id} item={item} chosen={chosen} choose={setChosen} saw={(file) => setSeen((before) => new Map([...before, [file.path, file.digest]]))} isBusy={isBusy} resolve={(one) => void take([one])} /> : <p class="nothing">{items.length ? t.pick : t.none}</p>}
            <Commits run={run.id} isBusy={isBusy} took={(found) => void during(async () => show(found))} />
          </div>
        </div>
      )}
    </>
  );
}

function TakenNote({ taken, isBusy, undo: undoIt }: { taken: Taken; isBusy: boolean; undo: () => void }) {
  const t = words.value;
  const { taken: count, left = [] } = taken.result;
  return (
    <div class={count ? "review-taken" : "review-taken none"}>
      <div class="row">
        <span>{count ? t.took(count) : t.nothingTaken}</span>
        {count > 0 && <button type="button" class="plain" disabled={isBusy} onClick={undoIt}>{t.undo}</button>}
      </div>
      {left.length > 0 && (
        <details>
          <summary>{t.left} ({left.length})</summary>
          <ul>{left.slice(0, 200).map((line) => <li key={line}><Visible text={line} /></li>)}</ul>
        </details>
      )}
    </div>
  );
}
