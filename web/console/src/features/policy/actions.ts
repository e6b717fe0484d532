import { deleteAt, fetchData, postJson } from "@handrail/host";
import type { Agent, AppConsent, PairedBrowser, Permission, PermissionKind, PermissionSources, TrustedPolicy, UserRule } from "./logic/permissions";

export interface PolicyRule {
  tool?: string;
  effect?: string;
  path?: string;
  place?: string;
  host?: string;
  app?: string;
  command?: string;
  program?: string;
  server?: string;
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

export interface IssuedToken {
  id: string;
  name: string;
  token: string;
}

/** All permissions in force. A feature that isn't installed contributes nothing. */
export async function readPermissionSources(): Promise<PermissionSources> {
  const [rules, consents, browsers, access, trusted] = await Promise.all([
    fetchData<{ rules: UserRule[]; uses?: PermissionSources["uses"] }>("/api/rules"),
    fetchData<{ consents: AppConsent[] }>("/api/apps/consents").catch(() => ({ consents: [] })),
    fetchData<PairedBrowser[]>("/api/extension/tokens").catch(() => []),
    fetchData<{ agents: Agent[] }>("/api/access"),
    fetchData<{ trusted: TrustedPolicy[] }>("/api/policy/trusted"),
  ]);
  return { rules: rules.rules, uses: rules.uses ?? {}, consents: consents.consents, browsers, agents: access.agents, policies: trusted.trusted };
}

const PLACES: Record<PermissionKind, string> = {
  rule: "/api/rules", task: "/api/rules", consent: "/api/apps/consents", browser: "/api/extension/tokens", agent: "/api/access/agents", policy: "/api/policy/trusted",
};
const placeOf = ({ kind, id }: Permission): string => `${PLACES[kind]}/${encodeURIComponent(id)}`;

/** Takes effect with the next call. */
export const revoke = (permission: Permission): Promise<unknown> => deleteAt(placeOf(permission));
/** Restores exactly what was revoked a moment ago. */
export const restore = (permission: Permission, presence?: object): Promise<unknown> => postJson(`${placeOf(permission)}/restore`, presence ? { presence } : {});

export const readPolicy = (): Promise<Policy> => fetchData<Policy>("/api/policy");

/** The project's own policy, to be read before it is trusted. */
export const readPolicyFile = (): Promise<{ text: string; hash: string }> => fetchData<{ text: string; hash: string }>("/api/policy/file");
/** Exactly what was shown is trusted. */
export const trustPolicy = (hash: string, presence?: object): Promise<Policy> => postJson<Policy>("/api/policy/trust", { hash, ...(presence ? { presence } : {}) });
export const distrustPolicy = (): Promise<Policy> => deleteAt<Policy>("/api/policy/trust");

export interface Verdict {
  decision: "allow" | "ask" | "deny";
  because: string;
  isDefault: boolean;
  isCritical: boolean;
  effect: string;
}

/** What the rules say about a hypothetical call. */
export const testRules = (call: { tool: string; path?: string; address?: string; agent?: string; project?: string }): Promise<Verdict> => postJson<Verdict>("/api/policy/test", call);
export const readToolTitles = async (): Promise<{ name: string; title: string; surface: string }[]> => (await fetchData<{ tools: { name: string; title: string; surface: string }[] }>("/api/tools")).tools;

/** The token is returned only this once. */
export const addAgent = (name: string, presence?: object): Promise<IssuedToken> => postJson<IssuedToken>("/api/access/agents", { name, ...(presence ? { presence } : {}) });
