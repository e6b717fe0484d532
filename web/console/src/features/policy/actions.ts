import { deleteAt, fetchData, postJson } from "@handrail/host";

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
  /** How many calls it has let through or stopped, and when the last one was. */
  used?: number;
  lastUsed?: string;
}

/** One that connects over HTTP. `lastSeen` is null where it has not called since handrail was started. */
export interface Agent {
  id: string;
  name: string;
  identity: string;
  createdAt: string;
  lastSeen: string | null;
}

export interface IssuedToken {
  id: string;
  name: string;
  token: string;
}

/** What an app's tool may do for a caller, remembered. */
interface Consent {
  caller: string;
}

export const readRules = (): Promise<{ rules: UserRule[] }> => fetchData<{ rules: UserRule[] }>("/api/rules");
export const removeRule = (id: string): Promise<unknown> => deleteAt(`/api/rules/${encodeURIComponent(id)}`);
/** Exactly what was removed a moment ago comes back. */
export const restoreRule = (id: string): Promise<unknown> => postJson(`/api/rules/${encodeURIComponent(id)}/restore`, {});
export const readPolicy = (): Promise<Policy> => fetchData<Policy>("/api/policy");
export const readAgents = async (): Promise<Agent[]> => (await fetchData<{ agents: Agent[] }>("/api/access")).agents;
export const removeAgent = async (id: string): Promise<Agent[]> => (await deleteAt<{ agents: Agent[] }>(`/api/access/agents/${encodeURIComponent(id)}`)).agents;

/** The project's own policy, to be read before it is trusted. */
export const readPolicyFile = (): Promise<{ text: string; hash: string }> => fetchData<{ text: string; hash: string }>("/api/policy/file");
/** Exactly what was shown is trusted. */
export const trustPolicy = (hash: string, presence?: object): Promise<Policy> => postJson<Policy>("/api/policy/trust", { hash, ...(presence ? { presence } : {}) });
export const distrustPolicy = (): Promise<Policy> => deleteAt<Policy>("/api/policy/trust");

/** The callers of remembered consents; none where apps are not installed. */
export const readConsents = (): Promise<Consent[]> => fetchData<{ consents: Consent[] }>("/api/apps/consents").then(({ consents }) => consents, () => []);

export interface Verdict {
  decision: "allow" | "ask" | "deny";
  because: string;
  isDefault: boolean;
  isCritical: boolean;
  effect: string;
}

/** What the rules say of a call that nobody makes. */
export const testRules = (call: { tool: string; path?: string; address?: string; agent?: string; project?: string }): Promise<Verdict> => postJson<Verdict>("/api/policy/test", call);
export const readToolNames = async (): Promise<string[]> => (await fetchData<{ tools: { name: string }[] }>("/api/tools")).tools.map(({ name }) => name);

/** The token is told this once. */
export const addAgent = (name: string, presence?: object): Promise<IssuedToken> => postJson<IssuedToken>("/api/access/agents", { name, ...(presence ? { presence } : {}) });
