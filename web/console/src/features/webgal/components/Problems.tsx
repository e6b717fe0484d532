import { useMemo, useState } from "preact/hooks";
import type { Problem, Severity } from "../logic/game";
import { countsOf, filterProblems } from "../logic/problems";
import { openScene, showTab, startFix } from "../actions";
import { problems } from "../store";
import { words } from "../words";
import { visible } from "../../../logic/visible";
import { Chunked } from "../../../ui/Chunked";
import { focusBeside } from "../../../ui/focus";
import { Visible } from "../../../ui/Visible";
import { SeverityFilter } from "./SeverityFilter";

const ROW = 45;
const UNUSED = "WG404";

/** All problems, wherever they are: scenes, settings, unused files. */
export function Problems() {
  const w = words.value;
  const [sought, setSought] = useState("");
  const [wanted, setWanted] = useState<ReadonlySet<Severity>>(new Set());
  const all = problems.value;
  const shown = useMemo(() => filterProblems(all, sought, wanted), [all, sought, wanted]);
  const draw = useMemo(() => (problem: Problem, at: number) => <Row key={at} problem={problem} />, []);
  return (
    <div class="page-body" data-scroller>
      <div class="tools-row">
        <input type="search" class="search" placeholder={w.findProblem} aria-label={w.findProblem} value={sought} onInput={(event) => setSought(event.currentTarget.value)} />
        <SeverityFilter counts={countsOf(all)} wanted={wanted} choose={setWanted} />
        <span class="sub" role="status">{w.problemCount(shown.length, all.length)}</span>
      </div>
      {shown.length === 0 && <p class="nothing">{all.length === 0 ? w.noProblems : w.noProblemsMatch}</p>}
      <div class="problem-rows" onKeyDown={(event) => focusBeside(event, ".problem-place")}>
        <Chunked rows={shown} rowHeight={ROW} render={draw} />
      </div>
    </div>
  );
}

function Row({ problem }: { problem: Problem }) {
  const w = words.value;
  const open = (): void => (problem.code === UNUSED ? showTab("resources") : void openScene(problem.path, problem.line));
  return (
    <div class="problem-row">
      <button type="button" class="problem-place" onClick={open}>
        <span class={`chip sev-${problem.kind}`}>{w.severities[problem.kind]}</span>
        <span class="problem-message"><Visible text={problem.message} /></span>
        <span class="sub mono"><Visible text={problem.code === UNUSED ? problem.path : `${problem.path}:${problem.line}`} /> · {problem.code}</span>
      </button>
      {problem.fixHint !== undefined && <button type="button" class="plain" aria-label={`${w.fix} ${visible(problem.message)}`} onClick={() => startFix(problem)}>{w.fix}</button>}
    </div>
  );
}
