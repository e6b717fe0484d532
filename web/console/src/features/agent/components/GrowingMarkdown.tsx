import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { pieces } from "../logic/pieces";
import { Markdown } from "../../../ui/Markdown";

interface Drawn {
  text: string;
  element: VNode;
}

/** Markdown that grows at its end: earlier text is neither parsed nor drawn again. */
export function GrowingMarkdown({ text }: { text: string }) {
  const drawn = useRef<Drawn[]>([]);
  const now = pieces(text).map((piece, at): Drawn => {
    const before = drawn.current[at];
    return before?.text === piece ? before : { text: piece, element: <Markdown key={at} text={piece} /> };
  });
  drawn.current = now;
  return <div class="growing-markdown">{now.map(({ element }) => element)}</div>;
}
