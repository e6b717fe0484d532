export interface ToolsTexts {
  pages: { tools: string };
  filterTools: string;
  toolCount: (count: number) => string;
  /** By the effect. */
  does: Record<string, string>;
  toAgents: string;
  enterAs: string;
  form: string;
  parameters: string;
  deadline: string;
  idempotent: string;
  inputSchema: string;
  outputSchema: string;
  tryIt: string;
  call: string;
  calling: string;
  result: string;
  notSet: string;
  onePerLine: string;
  noParameters: string;
  tryHint: string;
  /** What the server says by a name of its own, said again; what is missing here stays as the server says it. */
  served: { surfaces: Readonly<Record<string, string>>; tools: Readonly<Record<string, string>> };
}
