import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type DiffLine, type Fold, foldDiff, parseDiff, type SplitRow, splitRows, withFileHeads } from "../logic/diff";
import { translateServerText } from "../logic/serverText";
import { colourLine, languageOf } from "../logic/syntax";
import { changedWords, type Ranges } from "../logic/words";
import { prefer, preferences } from "../preferences";
import { texts } from "../store";
import { Chunked } from "./Chunked";
import { Visible } from "./Visible";

const WIDE_ENOUGH = 760;
const ROW_HEIGHT = 21;

type Language = NonNullable<ReturnType<typeof languageOf>>;

/** What a line's look depends on besides its text: its changed words, and the file's language. */
const Looks = createContext<{ words: ReadonlyMap<DiffLine, Ranges>; language: Language | null }>({ words: new Map(), language: null });

/** A unified diff with line numbers; unchanged stretches fold; side by side if there is room. */
export function Diff({ text, path }: { text: string; path?: string | undefined }) {
  const t = texts.value;
  const box = useRef<HTMLDivElement>(null);
  const [isWide, setIsWide] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const parsed = useMemo(() => parseDiff(text), [text]);
  const { lines, files } = useMemo(() => withFileHeads(parsed.lines), [parsed]);
  const rows = useMemo(() => foldDiff(lines, opened), [lines, opened]);
  const fileName = path ?? files.at(-1) ?? "";
  const looks = useMemo(() => ({ words: changedWords(parsed.lines), language: languageOf(fileName) }), [parsed, fileName]);

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
    <Looks.Provider value={looks}>
    <div class="diff" ref={box} role="group" aria-label={`${t.diff}: ${t.lines(parsed.added, parsed.deleted)}`} data-digits={Math.min(parsed.digits, 7)}>
      <div class="diff-file">
        {files.length > 1 ? <b>{t.fileCount(files.length)}</b> : <code><Visible text={fileName} /></code>}
        {isWide && (
          <span class="diff-layout">
          <button type="button" aria-pressed={!isSplit} onClick={() => prefer({ diffLayout: "unified" })}>{t.unified}</button>
          <button type="button" aria-pressed={isSplit} onClick={() => prefer({ diffLayout: "split" })}>{t.sideBySide}</button>
          </span>
        )}
        <span class="diff-count" hidden={parsed.added + parsed.deleted === 0}><span class="good">+{parsed.added}</span> <span class="bad">−{parsed.deleted}</span></span>
      </div>
      {isSplit ? (
        <Chunked rows={splitRows(rows)} rowHeight={ROW_HEIGHT} render={(row, at) => <SplitLine key={at} row={row} open={open} />} />
      ) : (
        <Chunked rows={rows} rowHeight={ROW_HEIGHT} render={(row, at) => <Line key={at} row={row} open={open} />} />
      )}
    </div>
    </Looks.Provider>
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
    case "file":
      return <div class="diff-name"><Visible text={row.path} /> {row.isNew && t.newFile}{row.isDeleted && t.deletedFile}</div>;
    case "note":
      return <div class="diff-note"><Visible text={translateServerText(row.text)} /></div>;
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
  const { words, language } = useContext(Looks);
  if (line?.kind !== "add" && line?.kind !== "delete" && line?.kind !== "context") return <span class="content" />;
  return (
    <span class="content">
      <span class="mark">{MARKS[line.kind]}</span>
      <Pieces text={line.text} marked={words.get(line) ?? []} language={language} />
    </span>
  );
}

/** The whole text, cut where its look changes; each piece passes `Visible` as the whole would. */
function Pieces({ text, marked, language }: { text: string; marked: Ranges; language: Language | null }) {
  const colours = language ? colourLine(text, language) : [];
  if (marked.length === 0 && colours.length === 0) return <Visible text={text} />;
  const borders = [...new Set([0, text.length, ...marked.flat(), ...colours.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  return (
    <span>
      {borders.slice(1).map((to, at) => {
        const from = borders[at]!;
        const isMarked = marked.some(([start, end]) => start <= from && to <= end);
        const colour = colours.find((one) => one.from <= from && to <= one.to)?.as;
        const look = [isMarked && "changed-word", colour && `code-${colour}`].filter(Boolean).join(" ");
        const piece = <Visible text={text.slice(from, to)} />;
        return look ? <span key={from} class={look}>{piece}</span> : piece;
      })}
    </span>
  );
}
