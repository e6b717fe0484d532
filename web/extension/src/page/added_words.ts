/** Whether the style sheets of a page may add words before or after elements. If they can't, no element needs to be asked. */

import { parentAcross, shadowRootOf } from "./shadow";

/** Reading more rules than these takes longer than asking elements. */
const MOST_RULES = 500;
/** No words, and no value that is known only where it is used. */
const WORDLESS = /^(none|normal|[^\p{L}\p{N}]*)$/u;
const HARMLESS = [CSSFontFaceRule, CSSLayerStatementRule];

export function mayAddWords(): boolean {
  const budget = { rules: MOST_RULES };
  const isAnimated = ({ effect }: Animation): boolean => !(effect instanceof KeyframeEffect) || effect.pseudoElement !== null;
  return document.getAnimations().some(isAnimated) || [...document.styleSheets, ...document.adoptedStyleSheets].some((sheet) => !isWordless(sheet, budget));
}

/** Styles of a shadow tree reach what is inside it, its host and what its host contains. */
export function isInShadow(element: Element): boolean {
  const around = parentAcross(element);
  return element.getRootNode() !== document || (around !== null && shadowRootOf(around) !== null);
}

function isWordless(sheet: CSSStyleSheet, budget: { rules: number }): boolean {
  try {
    return areWordless(sheet.cssRules, budget);
  } catch {
    return false; // of another site
  }
}

function areWordless(rules: CSSRuleList, budget: { rules: number }): boolean {
  if ((budget.rules -= rules.length) < 0) return false;
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const { style, cssRules } = rule;
      if (!WORDLESS.test(style.content) || style.all || (cssRules.length && !areWordless(cssRules, budget))) return false;
    } else if (rule instanceof CSSGroupingRule) {
      if (!areWordless(rule.cssRules, budget)) return false;
    } else if (rule instanceof CSSKeyframesRule) {
      if (/\b(content|all):/.test(rule.cssText)) return false;
    } else if (!HARMLESS.some((kind) => rule instanceof kind)) return false;
  }
  return true;
}
