import type { ComponentChildren } from "preact";
import { Visible } from "./Visible";

type Fact = readonly [label: string, value: ComponentChildren];

/** Label and value, one pair a line; what is not known takes no line. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  if (known.length === 0) return null;
  return (
    <dl class="facts">
      {known.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{typeof value === "string" ? <Visible text={value} /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
