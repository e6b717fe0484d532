/**
 * Finds elements to which a stylesheet gives a pointing cursor, or which it lets the mouse pass through. It reads the
 * rules, which saves checking every element.
 */

import type { Root } from "./shadow";

/** What rules do with the mouse. */
interface Selectors { pointing: string[]; passing: string[] }

const cache = new WeakMap<CSSStyleSheet, { rules: number; selectors: Selectors | null }>();

/** Null if a stylesheet of another site can't be read: then any element may match. */
function selectorsOf(sheet: CSSStyleSheet): Selectors | null {
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    return null;
  }
  const before = cache.get(sheet);
  if (before?.rules === rules.length) return before.selectors;
  const selectors: Selectors = { pointing: [], passing: [] };
  const isWhole = gather(rules, selectors);
  const entry = { rules: rules.length, selectors: isWhole ? selectors : null };
  cache.set(sheet, entry);
  return entry.selectors;
}

function gather(rules: CSSRuleList, into: Selectors, outer = ""): boolean {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const selector = outer ? nested(rule.selectorText, outer) : rule.selectorText;
      if (/pointer|resize|grab|move|var\(/.test(rule.style.cursor)) into.pointing.push(selector);
      if (/none|var\(/.test(rule.style.pointerEvents)) into.passing.push(selector);
      if (rule.cssRules?.length && !gather(rule.cssRules, into, selector)) return false;
    } else if (rule instanceof CSSImportRule) {
      const inner = rule.styleSheet ? selectorsOf(rule.styleSheet) : { pointing: [], passing: [] };
      if (!inner) return false;
      into.pointing.push(...inner.pointing);
      into.passing.push(...inner.passing);
    } else if (rule instanceof CSSGroupingRule && !gather(rule.cssRules, into, outer)) {
      return false;
    }
  }
  return true;
}

const nested = (selector: string, outer: string): string => (selector.includes("&") ? selector.replaceAll("&", `:is(${outer})`) : `:is(${outer}) ${selector}`);

/** Every element that a rule or its own style may give a pointing cursor; a superset. */
export const mayPoint = (roots: Root[]): Set<Element> => matching(roots, "pointing", ["[style*=cursor]"]);

/** Every element that the mouse may pass through, and what it contains; a superset. */
export function mayPassMouse(): Set<Element> {
  const outer = matching([document], "passing", ["[style*=pointer-events]", "[pointer-events]"]);
  const isOutermost = (one: Element): boolean => !one.parentElement || !outer.has(one.parentElement);
  return new Set([...outer, ...[...outer].filter(isOutermost).flatMap((one) => [...one.querySelectorAll("*")])]);
}

function matching(roots: Root[], kind: keyof Selectors, own: string[]): Set<Element> {
  const elements = new Set<Element>();
  for (const root of roots) {
    const scope = root instanceof Element ? (root.getRootNode() as Document | ShadowRoot) : root;
    const sheets = [...scope.styleSheets, ...scope.adoptedStyleSheets];
    const selectors = sheets.map(selectorsOf);
    if (selectors.includes(null)) {
      for (const element of root.querySelectorAll("*")) elements.add(element);
      continue;
    }
    for (const selector of [...own, ...(selectors as Selectors[]).flatMap((one) => one[kind])]) {
      try {
        for (const element of root.querySelectorAll(selector)) elements.add(element);
      } catch {
        // A selector that is valid only in stylesheets, such as one with a pseudo-element.
      }
    }
  }
  return elements;
}
