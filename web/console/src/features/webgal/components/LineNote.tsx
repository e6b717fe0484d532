import { hasSafeFix, nextProblemLine } from "../logic/problems";
import { goToLine, startFix } from "../actions";
import { line, problemsByPath } from "../store";
import { words } from "../words";
import { Icon } from "../../../ui/Icon";
import { ProblemNote } from "./ProblemNote";

/** Below the text: the selected line, and links to other lines with problems. */
export function LineNote({ path }: { path: string }) {
  const w = words.value;
  const all = problemsByPath.value.get(path) ?? [];
  const here = all.filter((one) => one.line === line.value);
  const go = (step: 1 | -1): void => goToLine(nextProblemLine(all.map((one) => one.line), line.value, step) ?? line.value);
  return (
    <section class="line-note" aria-label={w.line(line.value)}>
      <div class="line-note-bar">
        <span class="sub">{w.line(line.value)}</span>
        <button type="button" class="icon-button" disabled={all.length === 0} aria-label={w.previousProblem} title={`${w.previousProblem} (Shift F8)`} onClick={() => go(-1)}><Icon name="up" /></button>
        <button type="button" class="icon-button" disabled={all.length === 0} aria-label={w.nextProblem} title={`${w.nextProblem} (F8)`} onClick={() => go(1)}><Icon name="down" /></button>
        {hasSafeFix(all) && <button type="button" class="plain fix-all" onClick={() => startFix({ path })}>{w.fixAll}</button>}
      </div>
      {here.length === 0 ? <p class="sub">{all.length === 0 ? w.clean : w.noProblemHere}</p> : here.map((problem) => <ProblemNote key={`${problem.code} ${problem.start}`} problem={problem} />)}
    </section>
  );
}
