import type { Problem } from "../logic/game";
import { visible } from "../../../logic/visible";
import { startFix } from "../actions";
import { words } from "../words";
import { Visible } from "../../../ui/Visible";

/** One problem with its rule and, if known, the corrected line. */
export function ProblemNote({ problem }: { problem: Problem }) {
  const w = words.value;
  return (
    <div class={"problem-note"}>
      <p>
        <span class={`chip sev-${problem.kind}`}>{w.severities[problem.kind]}</span> <span><Visible text={problem.message} /></span> <span class="sub mono">{problem.code}</span>
      </p>
      {problem.fixHint !== undefined && (
        <p class="fix-hint">
          <span class="sub">{problem.isGuess ? w.suggestion : w.better}</span> <code><Visible text={problem.fixHint} /></code>
          <button type="button" class="plain" aria-label={`${w.fix} ${visible(problem.message)}`} onClick={() => startFix(problem)}>{w.fix}</button>
        </p>
      )}
    </div>
  );
}
