/** Everything in force until it is revoked, as one list: what, where, who, until when, how often used. */

import { typedText } from "../../../logic/acts";
import type { PolicyRule } from "../actions";

export type PermissionKind = "rule" | "task" | "consent" | "browser" | "agent" | "policy";

export interface Permission {
  kind: PermissionKind;
  id: string;
  rule?: PolicyRule;
  /** The app, the browser, the agent. */
  name: string;
  /** What exactly it covers, in the syntax of rules. */
  exactly: string;
  /** A folder; empty for all of them. */
  project: string;
  /** Empty for every agent. */
  who: string;
  /** A date; empty if it has no end. */
  until: string;
  hasEnded: boolean;
  /** Undefined if uses aren't counted. */
  used?: number;
  lastUsed?: string;
  since?: string | number;
  isInUse?: boolean;
}

interface Use {
  used?: number;
  lastUsed?: string;
}

export interface UserRule extends PolicyRule, Use {
  id: string;
  kind: "rule" | "task";
  project?: string;
  agent?: string;
  caller?: string;
  until?: string;
  task?: string;
  hasEnded?: boolean;
}

/** An agent that connects over HTTP. `lastSeen` is null if it hasn't called since handrail was started. */
export interface Agent {
  id: string;
  name: string;
  identity: string;
  createdAt: string;
  lastSeen: string | null;
}

export interface AppConsent {
  id: string;
  caller: string;
  appName: string;
  tool?: string | null;
  at: string;
  valid: boolean;
}

export interface PairedBrowser {
  clientId: string;
  name: string;
  createdAt: number;
  socketConnected: boolean;
}

export interface TrustedPolicy extends Use {
  hash: string;
  path: string;
  project: string;
  at: string;
}

export interface PermissionSources {
  rules: readonly UserRule[];
  uses: Readonly<Record<string, Use>>;
  consents: readonly AppConsent[];
  browsers: readonly PairedBrowser[];
  agents: readonly Agent[];
  policies: readonly TrustedPolicy[];
}

/** What a rule is about, in one line. */
export function targetOf(rule: PolicyRule): string {
  const command = rule.command && (typedText(rule.command) ?? rule.command);
  return [rule.path, rule.place, rule.host, rule.app, command, rule.program, rule.server].filter(Boolean).join(" · ");
}

/** The names in a pattern such as `{write_to_file,replace_in_file}`. */
export function toolsIn(pattern = ""): string[] {
  return pattern.replace(/^\{|\}$/g, "").split(",").map((name) => name.trim()).filter(Boolean);
}

export function permissionsOf({ rules, uses, consents, browsers, agents, policies }: PermissionSources): Permission[] {
  const nameOf = (identity: string): string => agents.find((agent) => agent.identity === identity)?.name ?? identity;
  const lasting = { project: "", who: "", until: "", hasEnded: false };
  const useOf = (use: Use = {}): Use => ({ used: use.used ?? 0, ...(use.lastUsed ? { lastUsed: use.lastUsed } : {}) });
  return [
    ...rules.map((rule): Permission => ({
      kind: rule.kind,
      id: rule.id,
      rule,
      name: "",
      exactly: [toolsIn(rule.tool).join(", ") || rule.effect, targetOf(rule)].filter(Boolean).join(" · "),
      project: rule.project ?? "",
      who: rule.agent ? nameOf(rule.agent) : (rule.caller ?? ""),
      until: rule.until ?? "",
      hasEnded: rule.hasEnded === true,
      ...useOf(rule),
    })),
    ...consents.map(({ id, appName, tool, caller, valid, at }): Permission => ({ ...lasting, kind: "consent", id, name: appName, exactly: tool ?? "", who: nameOf(caller), hasEnded: !valid, since: at, ...useOf(uses[id]) })),
    ...policies.map(({ hash, path, project, at, ...use }): Permission => ({ ...lasting, kind: "policy", id: hash, name: "", exactly: path, project, since: at, ...useOf(use) })),
    ...agents.map(({ id, name, identity, createdAt }): Permission => ({ ...lasting, kind: "agent", id, name, exactly: identity, who: name, since: createdAt, ...useOf(uses[identity]) })),
    ...browsers.map(({ clientId, name, createdAt, socketConnected }): Permission => ({ ...lasting, kind: "browser", id: clientId, name: name || clientId, exactly: clientId, since: createdAt, isInUse: socketConnected })),
  ];
}
