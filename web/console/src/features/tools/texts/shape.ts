export interface ToolsTexts {
  pages: { tools: string };
  filterTools: string;
  toolCount: (count: number) => string;
  /** By effect. */
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
  /** Translations of the server's names; missing ones are shown as the server sends them. */
  served: { surfaces: Readonly<Record<string, string>>; tools: Readonly<Record<string, string>> };
}
