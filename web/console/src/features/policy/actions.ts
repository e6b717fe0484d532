import { fetchData } from "@handrail/host";

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

export const readPolicy = (): Promise<Policy> => fetchData<Policy>("/api/policy");
