import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

type Render<Row> = (row: Row, at: number) => ComponentChildren;

interface ChunkedProps<Row> {
  rows: readonly Row[];
  /** A guess until a chunk was measured; rows may have any height. */
  rowHeight: number;
  render: Render<Row>;
}

const CHUNK = 25;
const MARGIN = "800px 0px";

/** Long lists in chunks, of which only those near the screen are in the document. */
export function Chunked<Row>({ rows, rowHeight, render }: ChunkedProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>());
  const observer = useRef<IntersectionObserver | null>(null);
  const observed = useRef(0);
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([0]));
  const count = Math.ceil(rows.length / CHUNK);

  useEffect(() => {
    const note = (entries: IntersectionObserverEntry[]): void =>
      setNear((before) => {
        const now = new Set(before);
        for (const { target, isIntersecting, boundingClientRect } of entries) {
          const at = Number((target as HTMLElement).dataset.chunk);
          if (isIntersecting) now.add(at);
          else if (now.delete(at)) heights.current.set(at, boundingClientRect.height);
        }
        return now;
      });
    // The margin only works for the scrolling element itself.
    observer.current = new IntersectionObserver(note, { root: list.current?.closest("[data-scroller]") ?? null, rootMargin: MARGIN });
    observed.current = 0;
    return () => observer.current?.disconnect();
  }, []);

  // Only new chunks; otherwise a list that grows by pages would be measured again with each of them.
  useEffect(() => {
    const chunks = list.current?.children ?? [];
    for (let at = observed.current; at < chunks.length; at++) observer.current?.observe(chunks[at] as Element);
    observed.current = chunks.length;
  }, [count]);

  return (
    <div class="chunks" role="presentation" ref={list}>
      {Array.from({ length: count }, (_, at) => (
        <Chunk
          key={at}
          at={at}
          rows={rows}
          render={render}
          isShown={count === 1 || near.has(at)}
          height={heights.current.get(at) ?? Math.min(CHUNK, rows.length - at * CHUNK) * rowHeight}
        />
      ))}
    </div>
  );
}

interface ChunkProps<Row> {
  at: number;
  rows: readonly Row[];
  render: Render<Row>;
  isShown: boolean;
  height: number;
}

function Chunk<Row>({ at, rows, render, isShown, height }: ChunkProps<Row>) {
  // Unchanged elements are skipped: scrolling draws only what comes into view.
  const drawn = useMemo(
    () => isShown && rows.slice(at * CHUNK, (at + 1) * CHUNK).map((row, index) => render(row, at * CHUNK + index)),
    [isShown, rows, render],
  );
  return (
    <div role="presentation" data-chunk={at} style={isShown ? {} : { height: `${height}px` }}>
      {drawn}
    </div>
  );
}
