/** Agents that connect over HTTP. */
interface AgentTexts {
  title: string;
  hint: string;
  name: string;
  nameHint: string;
  issue: string;
  issued: (name: string) => string;
  once: string;
  token: string;
  useIt: string;
  done: string;
}

export interface PolicyTexts {
  pages: { permissions: string };
  permissionsHint: string;
  deeds: Record<string, { name: string; hint: string }>;
  verdicts: Record<string, string>;
  agents: AgentTexts;
  trust: { read: string; warning: string; trust: string; withdraw: string };
  policy: string;
  policyFrom: string;
  policyDefaults: string;
  noRules: string;
  rules: string;
  decisions: Record<string, string>;
  trusted: string;
  untrusted: string;
  noPolicyFile: string;
  limits: string;
  standing: string;
  noPermissions: string;
  permission: { consent: (app: string, tool: string) => string; browser: (name: string) => string; agent: (name: string) => string; policy: string; itsPages: string; changed: string; since: string; now: string };
  ruleWhat: string;
  ruleWhere: string;
  ruleWho: string;
  ruleUntil: string;
  everything: string;
  everyProject: string;
  everyAgent: string;
  endOfTask: string;
  noEnd: string;
  ended: string;
  removeRule: string;
  removeRuleOf: (rule: string) => string;
  ruleUsed: string;
  times: (count: number) => string;
  ruleRevoked: (rule: string) => string;
  ruleRestored: string;
  ruleTest: { title: string; tool: string; target: string; agent: string; test: string; byDefault: (deed: string) => string; byRule: (rule: string) => string; critical: string };
}
