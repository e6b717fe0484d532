import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { widestOf } from "../logic/colouring";
import type { SceneText } from "../logic/game";
import { byLine, nextProblemLine } from "../logic/problems";
import { blocksOf, scrollFor, STEP, windowOf } from "../logic/window";
import { visible } from "../../../logic/visible";
import { goToLine, startFix } from "../actions";
import { line, problemsByPath, reveals } from "../store";
import { words } from "../words";
import { ProblemNote } from "./ProblemNote";
import { SourceBlock } from "./SourceBlock";

const ROW = 20;
const CARD = 180;

/** A scene's text. Only the lines near the screen are in the document, however many there are. */
export function Source({ scene }: { scene: SceneText }) {
  const w = words.value;
  const area = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ first: 0, last: 60 });
  const [pointed, setPointed] = useState<number | null>(null);
  const lines = useMemo(() => scene.text.split("\n"), [scene.text]);
  const widest = useMemo(() => widestOf(lines), [lines]);
  const problems = problemsByPath.value.get(scene.path);
  const marks = useMemo(() => byLine(problems ?? []), [problems]);
  const current = Math.min(line.value, lines.length);

  function look(): void {
    if (!area.current) return;
    const { scrollTop, clientHeight } = area.current;
    const next = windowOf(scrollTop, clientHeight, ROW, lines.length);
    setSeen((before) => (before.first === next.first && before.last === next.last ? before : next));
    setPointed(null);
  }
  useLayoutEffect(look, [lines]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(area.current as HTMLDivElement);
    return () => watch.disconnect();
  }, [lines]);
  useLayoutEffect(() => {
    const element = area.current as HTMLDivElement;
    const top = scrollFor(current - 1, element.scrollTop, element.clientHeight, ROW);
    if (top !== undefined) element.scrollTop = top;
    look();
  }, [reveals.value, lines]);

  function move(event: TargetedKeyboardEvent<HTMLElement>): void {
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / ROW) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -lines.length, End: lines.length };
    const step = steps[event.key];
    if (step !== undefined && !event.altKey && !event.metaKey) goToLine(Math.max(1, Math.min(lines.length, current + step)));
    else if (event.key === "F8") goToLine(nextProblemLine(marks.keys(), current, event.shiftKey ? -1 : 1) ?? current);
    else if (event.key === "Enter") startFix(marks.get(current)?.find(({ fixHint }) => fixHint !== undefined) ?? null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const numberOf = (target: EventTarget | null): number | null => {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;
    return row ? Number(row.dataset.line) : null;
  };
  const about = pointed === null ? undefined : marks.get(pointed);
  return (
    <div class="source">
      <div
        ref={area}
        class="source-area"
        role="listbox"
        tabIndex={0}
        aria-label={w.source(visible(scene.path))}
        aria-description={w.sourceKeys}
        aria-activedescendant={current > seen.first && current <= seen.last ? `line-${current}` : undefined}
        onScroll={look}
        onKeyDown={move}
        onClick={(event) => goToLine(numberOf(event.target) ?? current)}
        onPointerOver={(event) => event.pointerType === "mouse" && setPointed(numberOf(event.target))}
        onPointerLeave={(event) => !card.current?.contains(event.relatedTarget as Node | null) && setPointed(null)}
      >
        <div role="presentation" class="source-lines" style={{ height: `${lines.length * ROW}px`, width: `max(100%, ${widest + 12}ch)` }}>
          <div role="presentation" style={{ transform: `translateY(${seen.first * ROW}px)` }}>
            {blocksOf(seen).map((first) => (
              <SourceBlock key={first} first={first} lines={lines} parts={scene.parts} marks={marks} current={first < current && current <= first + STEP ? current : undefined} />
            ))}
          </div>
        </div>
      </div>
      {pointed !== null && about && (
        <div ref={card} class="source-card" style={cardPlace(area.current as HTMLDivElement, pointed)} onPointerLeave={() => setPointed(null)}>
          {about.map((problem) => <ProblemNote key={`${problem.code} ${problem.start}`} problem={problem} />)}
        </div>
      )}
    </div>
  );
}

/** Right below its line, so that the pointer can reach it; above it if there is no room. */
function cardPlace({ scrollTop, clientHeight }: HTMLElement, number: number): Record<string, string> {
  const top = number * ROW - scrollTop;
  return top + CARD > clientHeight && top > CARD ? { bottom: `calc(100% - ${top - ROW}px)` } : { top: `${top}px` };
}
