import type { PolicyTexts } from "./shape";

export const policyEn: PolicyTexts = {
  policy: "Policy",
  policyFrom: "From",
  policyDefaults: "When no rule matches",
  noRules: "There are no rules beyond these.",
  rules: "Rules",
  decisions: { allow: "allow", ask: "ask", deny: "deny" },
  trusted: "trusted",
  untrusted: "not trusted: it can only tighten",
  noPolicyFile: "this project has no policy of its own",
  limits: "Limits",
  userRules: "Allowed by you",
  everyProject: "every project",
  everyAgent: "every agent",
  endOfTask: "until the task ends",
  noEnd: "until removed",
  removeRule: "Remove",
};
