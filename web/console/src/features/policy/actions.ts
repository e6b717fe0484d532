import { deleteAt, fetchData } from "@handrail/host";

export interface PolicyRule {
  tool?: string;
  effect?: string;
  path?: string;
  place?: string;
  host?: string;
  app?: string;
  decision: string;
}

export interface Policy {
  path?: string;
  exists?: boolean;
  trusted?: boolean;
  mode?: string;
  policies?: Record<string, unknown>;
  rules?: PolicyRule[];
  defaults?: Record<string, string>;
}

export interface UserRule extends PolicyRule {
  id: string;
  kind: "rule" | "task";
  command?: string;
  server?: string;
  project?: string;
  agent?: string;
  caller?: string;
  until?: string;
  task?: string;
  hasEnded?: boolean;
}

export const readRules = (): Promise<{ rules: UserRule[] }> => fetchData<{ rules: UserRule[] }>("/api/rules");
export const removeRule = (id: string): Promise<unknown> => deleteAt(`/api/rules/${encodeURIComponent(id)}`);
export const readPolicy = (): Promise<Policy> => fetchData<Policy>("/api/policy");
