import { fetchData, postJson } from "@handrail/host";
import type { JsonSchema } from "./logic/schema";

export interface Tool {
  name: string;
  title: string;
  description: string;
  surface: string;
  effect: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema | null;
  deadlineMs: number;
  idempotent: boolean;
}

export const readTools = async (): Promise<Tool[]> => (await fetchData<{ tools: Tool[] }>("/api/tools")).tools;
export const callTool = (name: string, params: unknown): Promise<unknown> => postJson(`/api/tools/${encodeURIComponent(name)}`, params);
