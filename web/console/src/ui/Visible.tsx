import { visibleParts } from "../logic/visible";

/** Text from elsewhere: what would hide or reorder is spelled out and marked, so that it can't be faked. */
export function Visible({ text }: { text: string }) {
  return (
    <bdi>
      {visibleParts(text).map((part, at) => (part.isEscape ? <span key={at} class="escape">{part.text}</span> : part.text))}
    </bdi>
  );
}
