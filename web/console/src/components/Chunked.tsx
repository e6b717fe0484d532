import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface ChunkedProps<Row> {
  rows: readonly Row[];
  /** A guess, until a chunk has been seen; rows may have any height. */
  rowHeight: number;
  render: (row: Row, at: number) => ComponentChildren;
}

const CHUNK = 50;
const MARGIN = "800px 0px";

/** Long lists in chunks of which only those near the screen are in the document. */
export function Chunked<Row>({ rows, rowHeight, render }: ChunkedProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>());
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([0]));
  const count = Math.ceil(rows.length / CHUNK);

  useEffect(() => {
    const element = list.current;
    if (!element || count < 2) return;
    const observer = new IntersectionObserver(
      (entries) =>
        setNear((before) => {
          const now = new Set(before);
          for (const { target, isIntersecting, boundingClientRect } of entries) {
            const at = Number((target as HTMLElement).dataset.chunk);
            if (isIntersecting) {
              now.add(at);
            } else if (now.delete(at)) {
              heights.current.set(at, boundingClientRect.height);
            }
          }
          return now;
        }),
      // The margin only counts for the scrolling part itself.
      { root: element.closest("[data-scroller]"), rootMargin: MARGIN },
    );
    for (const chunk of element.children) observer.observe(chunk);
    return () => observer.disconnect();
  }, [count]);

  const chunks: ComponentChildren[] = [];
  for (let at = 0; at < count; at++) {
    const part = rows.slice(at * CHUNK, (at + 1) * CHUNK);
    const isShown = count === 1 || near.has(at);
    const height = isShown ? undefined : (heights.current.get(at) ?? part.length * rowHeight);
    chunks.push(
      <div key={at} role="presentation" data-chunk={at} style={height === undefined ? {} : { height: `${height}px` }}>
        {isShown && part.map((row, index) => render(row, at * CHUNK + index))}
      </div>,
    );
  }
  return (
    <div class="chunks" role="presentation" ref={list}>
      {chunks}
    </div>
  );
}
