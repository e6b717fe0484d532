import type { ComponentChildren } from "preact";
import { Visible } from "./Visible";

type Fact = readonly [label: string, value: ComponentChildren];

/** Label and value, one pair per line; unknown values take no line. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const present = facts.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  if (present.length === 0) return null;
  return (
    <dl class="facts">
      {present.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{typeof value === "string" ? <Visible text={value} /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
