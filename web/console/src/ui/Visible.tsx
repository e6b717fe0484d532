import { visibleParts } from "../logic/visible";

/**
 * Text from elsewhere: invisible and reordering characters are spelled out and marked, so that nothing can be faked.
 */
export function Visible({ text }: { text: string }) {
  return (
    <bdi>
      {visibleParts(text).map((part, at) => (part.isEscape ? <span key={at} class="escape">{part.text}</span> : part.text))}
    </bdi>
  );
}
