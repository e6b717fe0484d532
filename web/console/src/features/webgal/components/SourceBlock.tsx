import { useMemo } from "preact/hooks";
import type { Parts, Problem } from "../logic/game";
import { STEP } from "../logic/window";
import { SourceLine } from "./SourceLine";

interface SourceBlockProps {
  first: number;
  lines: readonly string[];
  parts: readonly Parts[];
  marks: ReadonlyMap<number, Problem[]>;
  /** Only set if it is in this block, so that the other blocks don't change. */
  current: number | undefined;
}

const NOTHING: Parts = ["remark", 0, 0, 0];

/** Lines that appear and disappear together; those that stay on the screen aren't drawn again. */
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
