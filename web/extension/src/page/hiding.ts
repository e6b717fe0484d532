/** Whether a page can hide text in a way that the browser's `innerText` doesn't notice. */

import { elementsIn } from "./shadow";

const HIDES = /opacity|clip|transparent|overflow|text-indent|filter|transform|mask|rgba|hsla|\/|color-mix|-fill|content-visibility|position:\s*(absolute|fixed)|(margin|left|top)[\w-]*:\s*-|var\(/;
const cache = new WeakMap<CSSStyleSheet, { rules: number; hides: boolean }>();
const MOST_STYLES = 200;

export function hidesNothing(): boolean {
  if (document.querySelector("iframe,slot,details:not([open])") || [...document.adoptedStyleSheets, ...document.styleSheets].some(hides)) return false;
  const styled = document.querySelectorAll("[style]");
  return styled.length <= MOST_STYLES && [...styled].every((one) => !HIDES.test(one.getAttribute("style") ?? "")) && !hasShadows();
}

function hides(sheet: CSSStyleSheet): boolean {
  try {
    const { cssRules } = sheet;
    const before = cache.get(sheet);
    if (before?.rules === cssRules.length) return before.hides;
    const entry = { rules: cssRules.length, hides: [...cssRules].some((rule) => HIDES.test(rule.cssText)) };
    cache.set(sheet, entry);
    return entry.hides;
  } catch {
    return true; // a stylesheet of another site, which can't be read
  }
}

/** Custom elements may have a closed shadow root. */
function hasShadows(): boolean {
  for (const element of elementsIn(document)) if (element.shadowRoot !== null || element.localName.includes("-")) return true;
  return false;
}
