export interface PolicyTexts {
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
  userRules: string;
  everyProject: string;
  everyAgent: string;
  endOfTask: string;
  noEnd: string;
  removeRule: string;
}
