import { Visible } from "./Visible";

/** A text of our own with commands between backticks. */
export function InlineCode({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}><Visible text={part} /></code> : <Visible key={at} text={part} />))}</>;
}
