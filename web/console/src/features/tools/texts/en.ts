import type { ToolsTexts } from "./shape";

export const toolsEn: ToolsTexts = {
  pages: { tools: "Tools" },
  filterTools: "Filter tools…",
  toolCount: (count) => `${count} tools`,
  deadline: "deadline",
  idempotent: "can be repeated",
  inputSchema: "Input schema",
  outputSchema: "Output schema",
  tryIt: "Try it",
  call: "Call",
  calling: "Calling…",
  result: "Result",
  notSet: "not set",
  onePerLine: "one a line",
  noParameters: "This tool takes no parameters.",
  tryHint: "Goes through the same policy, approval and record as an agent's call.",
  served: { surfaces: {}, tools: {} },
};
