/**
 * Finds elements to which a stylesheet gives a pointing cursor. It reads the rules, which saves checking every
 * element.
 */

import type { Root } from "./shadow";

const cache = new WeakMap<CSSStyleSheet, { rules: number; selectors: string[] | null }>();

/** Null if a stylesheet of another site can't be read: then any element may match. */
function selectorsOf(sheet: CSSStyleSheet): string[] | null {
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    return null;
  }
  const before = cache.get(sheet);
  if (before?.rules === rules.length) return before.selectors;
  const selectors: string[] = [];
  const isWhole = gather(rules, selectors);
  const entry = { rules: rules.length, selectors: isWhole ? selectors : null };
  cache.set(sheet, entry);
  return entry.selectors;
}

function gather(rules: CSSRuleList, into: string[], outer = ""): boolean {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const selector = outer ? nested(rule.selectorText, outer) : rule.selectorText;
      if (/pointer|resize|grab|move|var\(/.test(rule.style.cursor)) into.push(selector);
      if (rule.cssRules?.length && !gather(rule.cssRules, into, selector)) return false;
    } else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet && selectorsOf(rule.styleSheet)?.every((one) => into.push(one)) === undefined) return false;
    } else if (rule instanceof CSSGroupingRule && !gather(rule.cssRules, into, outer)) {
      return false;
    }
  }
  return true;
}

const nested = (selector: string, outer: string): string => (selector.includes("&") ? selector.replaceAll("&", `:is(${outer})`) : `:is(${outer}) ${selector}`);

/** Every element that a rule or its own style may give a pointing cursor; a superset. */
export function mayPoint(roots: Root[]): Iterable<Element> {
  const elements = new Set<Element>();
  for (const root of roots) {
    const scope = root instanceof Element ? (root.getRootNode() as Document | ShadowRoot) : root;
    const sheets = [...scope.styleSheets, ...scope.adoptedStyleSheets];
    const selectors = sheets.map(selectorsOf);
    if (selectors.includes(null)) {
      for (const element of root.querySelectorAll("*")) elements.add(element);
      continue;
    }
    for (const selector of ["[style*=cursor]", ...(selectors as string[][]).flat()]) {
      try {
        for (const element of root.querySelectorAll(selector)) elements.add(element);
      } catch {
        // A selector that is valid only in stylesheets, such as one with a pseudo-element.
      }
    }
  }
  return elements;
}
