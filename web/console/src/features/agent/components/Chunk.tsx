import type { RefObject, VNode } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { keyOf, type Entry } from "../logic/chat";
import { EntryRow } from "./EntryRow";

const MARGIN = "1500px 0px";

type Observe = (element: Element) => () => void;

/** Which parts are far from the screen, with their height when they were last drawn. */
export function useDistantChunks(area: RefObject<HTMLElement | null>): { far: ReadonlyMap<string, number>; observe: Observe } {
  const [far, setFar] = useState<ReadonlyMap<string, number>>(new Map());
  const observer = useRef<IntersectionObserver | null>(null);
  const waiting = useRef(new Set<Element>());

  useEffect(() => {
    const note = (seen: IntersectionObserverEntry[]): void =>
      setFar((before) => {
        const now = new Map(before);
        for (const { target, isIntersecting, boundingClientRect } of seen) {
          const name = (target as HTMLElement).dataset.chunk ?? "";
          if (isIntersecting) now.delete(name);
          else if (!now.has(name) && boundingClientRect.height > 0) now.set(name, boundingClientRect.height);
        }
        return now;
      });
    observer.current = new IntersectionObserver(note, { root: area.current, rootMargin: MARGIN });
    for (const element of waiting.current) observer.current.observe(element);
    return () => observer.current?.disconnect();
  }, []);

  const observe = useCallback<Observe>((element) => {
    waiting.current.add(element);
    observer.current?.observe(element);
    return () => {
      waiting.current.delete(element);
      observer.current?.unobserve(element);
    };
  }, []);
  return { far, observe };
}

interface ChunkProps {
  name: string;
  entries: readonly Entry[];
  /** If given, the chunk is far away and only its height is kept. */
  height: number | undefined;
  observe: Observe;
}

/** A few dozen entries. The same entry keeps its element, so that a growing reply redraws only itself. */
export function Chunk({ name, entries, height, observe }: ChunkProps) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef(new WeakMap<Entry, VNode>());
  useEffect(() => (element.current ? observe(element.current) : undefined), []);

  const rowOf = (entry: Entry): VNode => {
    const drawnEntry = drawn.current.get(entry);
    if (drawnEntry) return drawnEntry;
    const row = <EntryRow key={keyOf(entry)} entry={entry} />;
    drawn.current.set(entry, row);
    return row;
  };
  return (
    <div ref={element} class="talk-chunk" data-chunk={name} style={height === undefined ? {} : { height: `${height}px` }}>
      {height === undefined && entries.map(rowOf)}
    </div>
  );
}
