import { useMemo } from "preact/hooks";
import type { Parts, Problem } from "../logic/game";
import { STEP } from "../logic/window";
import { SourceLine } from "./SourceLine";

interface SourceBlockProps {
  first: number;
  lines: readonly string[];
  parts: readonly Parts[];
  marks: ReadonlyMap<number, Problem[]>;
  /** Only where it is in here: the others then stay as they are. */
  current: number | undefined;
}

const NOTHING: Parts = ["remark", 0, 0, 0];

/** The lines that come and go together; what stays on the screen is not looked at again. */
export function SourceBlock({ first, lines, parts, marks, current }: SourceBlockProps) {
  return useMemo(
    () => (
      <div role="presentation">
        {lines.slice(first, first + STEP).map((text, at) => {
          const number = first + at + 1;
          return <SourceLine key={number} text={text} number={number} count={lines.length} parts={parts[number - 1] ?? NOTHING} problems={marks.get(number)} isCurrent={number === current} />;
        })}
      </div>
    ),
    [first, lines, parts, marks, current],
  );
}
