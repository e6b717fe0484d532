import type { Feature } from "../../shell/feature";
import { PolicyCard } from "./PolicyCard";
import { policyEn } from "./texts/en";
import type { PolicyTexts } from "./texts/shape";
import { policyZh } from "./texts/zh";

export const policy: Feature<PolicyTexts> = {
  texts: { en: policyEn, zh: policyZh },
  settings: [{ place: 3, View: PolicyCard }],
};
