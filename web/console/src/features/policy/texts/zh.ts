import type { PolicyTexts } from "./shape";

export const policyZh: PolicyTexts = {
  policy: "策略",
  policyFrom: "来源",
  policyDefaults: "没有规则匹配时",
  noRules: "除此之外没有规则。",
  rules: "规则",
  decisions: { allow: "允许", ask: "询问", deny: "拒绝" },
  trusted: "已信任",
  untrusted: "未信任：只能收紧",
  noPolicyFile: "此项目没有自己的策略",
  limits: "限制",
  userRules: "您允许的",
  everyProject: "所有项目",
  everyAgent: "所有代理",
  endOfTask: "直到任务结束",
  noEnd: "直到移除",
  removeRule: "移除",
};
