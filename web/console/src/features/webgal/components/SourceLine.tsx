import { useMemo } from "preact/hooks";
import { tokensOf } from "../logic/colouring";
import type { Parts, Problem } from "../logic/game";
import { mostSevere } from "../logic/problems";
import { visible } from "../../../logic/visible";
import { Visible } from "../../../ui/Visible";

interface SourceLineProps {
  text: string;
  number: number;
  count: number;
  parts: Parts;
  problems: readonly Problem[] | undefined;
  isCurrent: boolean;
}

export function SourceLine({ text, number, count, parts, problems, isCurrent }: SourceLineProps) {
  const severity = problems && mostSevere(problems);
  const tokens = useMemo(() => tokensOf(text, parts, problems), [text, parts, problems]);
  return (
    <div role="option" id={`line-${number}`} class={`source-line ${severity ? `sev-${severity}` : ""}`} data-line={number} aria-selected={isCurrent} aria-posinset={number} aria-setsize={count}>
      <span class="source-number">{number}</span>
      <span class="source-code">
        {tokens.map((token, at) => (
          <span key={at} class={`t-${token.piece} ${token.severity ? `wavy sev-${token.severity}` : ""}`}><Visible text={token.text} /></span>
        ))}
        {problems && <span class="unseen">{visible(problems.map(({ message, code }) => ` ${message} (${code})`).join(""))}</span>}
      </span>
    </div>
  );
}
