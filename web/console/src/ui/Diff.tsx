import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type DiffLine, type Fold, foldDiff, parseDiff, type SplitRow, splitRows } from "../logic/diff";
import { prefer, preferences } from "../preferences";
import { texts } from "../store";
import { Chunked } from "./Chunked";
import { Visible } from "./Visible";

const WIDE_ENOUGH = 760;
const ROW_HEIGHT = 21;

/** A unified diff with line numbers; unchanged stretches fold; side by side where there is room. */
export function Diff({ text }: { text: string }) {
  const t = texts.value;
  const box = useRef<HTMLDivElement>(null);
  const [isWide, setIsWide] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const parsed = useMemo(() => parseDiff(text), [text]);
  const rows = useMemo(() => foldDiff(parsed.lines, opened), [parsed, opened]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(([entry]) => setIsWide((entry?.contentRect.width ?? 0) >= WIDE_ENOUGH));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const isSplit = isWide && preferences.value.diffLayout !== "unified";
  const open = (fold: Fold): void => setOpened(new Set([...opened, fold.id]));
  return (
    <div class="diff" ref={box} role="group" aria-label={`${t.diff}: ${t.lines(parsed.added, parsed.deleted)}`} data-digits={Math.min(parsed.digits, 7)}>
      {isWide && (
        <div class="diff-layout">
          <button type="button" aria-pressed={!isSplit} onClick={() => prefer({ diffLayout: "unified" })}>{t.unified}</button>
          <button type="button" aria-pressed={isSplit} onClick={() => prefer({ diffLayout: "split" })}>{t.sideBySide}</button>
        </div>
      )}
      {isSplit ? (
        <Chunked rows={splitRows(rows)} rowHeight={ROW_HEIGHT} render={(row, at) => <SplitLine key={at} row={row} open={open} />} />
      ) : (
        <Chunked rows={rows} rowHeight={ROW_HEIGHT} render={(row, at) => <Line key={at} row={row} open={open} />} />
      )}
    </div>
  );
}

interface LineProps {
  row: DiffLine | Fold;
  open: (fold: Fold) => void;
}

function Line({ row, open }: LineProps) {
  const t = texts.value;
  switch (row.kind) {
    case "fold":
      return (
        <button type="button" class="diff-fold" onClick={() => open(row)} aria-label={t.openFold(row.lines.length)}>
          ⋯ {t.unchanged(row.lines.length)}
        </button>
      );
    case "gap":
      return <div class="diff-gap">⋯ {t.unchanged(row.count)}</div>;
    case "note":
      return <div class="diff-note"><Visible text={row.text} /></div>;
    default:
      return (
        <div class={`diff-line ${row.kind}`}>
          <span class="number">{row.kind === "add" ? "" : row.old}</span>
          <span class="number">{row.kind === "delete" ? "" : row.new}</span>
          <Content line={row} />
        </div>
      );
  }
}

function SplitLine({ row, open }: { row: SplitRow; open: (fold: Fold) => void }) {
  if (row.kind === "whole") return <Line row={row.row} open={open} />;
  return (
    <div class="diff-pair">
      <Side line={row.left} number={row.left && "old" in row.left ? row.left.old : undefined} />
      <Side line={row.right} number={row.right && "new" in row.right ? row.right.new : undefined} />
    </div>
  );
}

function Side({ line, number }: { line: DiffLine | undefined; number: number | undefined }) {
  return (
    <div class={`diff-side ${line?.kind ?? "absent"}`}>
      <span class="number">{number}</span>
      <Content line={line} />
    </div>
  );
}

const MARKS = { add: "+", delete: "−", context: " " } as const;

function Content({ line }: { line: DiffLine | undefined }) {
  if (line?.kind !== "add" && line?.kind !== "delete" && line?.kind !== "context") return <span class="content" />;
  return (
    <span class="content">
      <span class="mark">{MARKS[line.kind]}</span>
      <Visible text={line.text} />
    </span>
  );
}
