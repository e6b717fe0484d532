/** A sentence of ours with commands in it, which are written between backticks. */
export function Coded({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}
