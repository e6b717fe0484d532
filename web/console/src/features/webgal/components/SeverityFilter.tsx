import { SEVERITIES, type Severity } from "../logic/game";
import type { Counts } from "../logic/problems";
import { words } from "../words";

interface SeverityFilterProps {
  counts: Counts;
  wanted: ReadonlySet<Severity>;
  choose: (wanted: ReadonlySet<Severity>) => void;
}

export function SeverityFilter({ counts, wanted, choose }: SeverityFilterProps) {
  const w = words.value;
  function toggle(kind: Severity): void {
    const next = new Set(wanted);
    if (!next.delete(kind)) next.add(kind);
    choose(next);
  }
  return (
    <div class="severities" role="group" aria-label={w.severity}>
      {SEVERITIES.map((kind) => (
        <button key={kind} type="button" class={`chip sev-${kind}`} aria-pressed={wanted.has(kind)} onClick={() => toggle(kind)}>
          {w.severities[kind]} {counts[kind]}
        </button>
      ))}
    </div>
  );
}

/** The number of each severity, if there are any. */
export function CountMarks({ counts }: { counts: Counts }) {
  const w = words.value;
  return (
    <span class="count-marks">
      {SEVERITIES.filter((kind) => counts[kind] > 0).map((kind) => (
        <span key={kind} class={`count sev-${kind}`} title={w.counted(kind, counts[kind])}>
          <span aria-hidden="true">{counts[kind]}</span>
          <span class="unseen">{w.counted(kind, counts[kind])}</span>
        </span>
      ))}
    </span>
  );
}
