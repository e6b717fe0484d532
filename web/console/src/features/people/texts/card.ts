/** Texts of an approval's card. */

import type { Risk } from "@handrail/host";
import type { Act } from "../../../logic/acts";

export interface CardTexts {
  checked: string;
  checkedHint: string;
  foreignHint: string;
  inProject: (project: string) => string;
  /** Where an agent may do something. */
  within: (project: string) => string;
  says: (agent: string) => string;
  task: (title: string) => string;
  risks: Record<Risk, string>;
  notes: Record<"runsLater" | "outside" | "closed" | "nameless" | "ruled" | "critical" | "program" | "descriptor", string>;
  was: string;
  now: string;
  parts: string;
  fields: string;
  details: string;
  caller: string;
  tool: string;
  digest: string;
  request: string;
  scope: string;
  just: Record<"edit" | "command" | "call" | "action", string>;
  thisTask: (what: string) => string;
  endsWithTask: string;
  always: string;
  alwaysHint: string;
  alwaysTool: string;
  alwaysApp: (app: string) => string;
  may: (agent: string, what: string, where: string) => string;
  files: (count: number, isWhole: boolean) => string;
  allowTask: string;
  allowAlways: string;
  everyAgent: string;
  everyProject: string;
  untilRemoved: string;
  /** What a grant covers: verbs by act, then where. */
  verbs: Partial<Record<Act, string>>;
  /** For tools without a verb. */
  act: string;
  and: string;
  covers: { path: (verbs: string, path: string) => string } & Record<"place" | "app", (verbs: string, where: string, only: Act | undefined) => string> & Record<"command" | "input" | "server" | "tools", (what: string) => string>;
  /** What a tool covers if the grant names nothing else. */
  coversTool: Readonly<Record<string, string>>;
  kindOfFile: (suffix: string) => string;
  selected: (count: number) => string;
  allowSelected: (count: number) => string;
  denySelected: (count: number) => string;
  thisCommand: string;
  /** Names of parameters of handrail's own tools. */
  params: Readonly<Record<string, string>>;
  /** Translations of the server's English labels. */
  labels: Record<string, string>;
  /** The same for labels that contain a name. */
  labelled: Record<"Field" | "new content of", (name: string) => string>;
  /** Translations of values, by the fact's name. */
  values: Record<string, (value: string) => string>;
  phrases: Record<string, (about: string) => string>;
}
