/** What the server says by a name of its own, said again; what is missing here stays as the server says it. */
export interface ServedTexts {
  surfaces: Readonly<Record<string, string>>;
  /** The titles of tools. */
  tools: Readonly<Record<string, string>>;
  /** What `handrail doctor` looks at. */
  checks: Readonly<Record<string, string>>;
}
