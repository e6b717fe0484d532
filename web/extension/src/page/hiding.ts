/** Whether a page has a way to hide text at all that the browser's own `innerText` does not know of. */

import { elementsIn } from "./shadow";

const HIDES = /opacity|clip|transparent|overflow|text-indent|filter|transform|mask|rgba|hsla|\/|color-mix|-fill|content-visibility|position:\s*(absolute|fixed)|(margin|left|top)[\w-]*:\s*-|var\(/;
const known = new WeakMap<CSSStyleSheet, { rules: number; hides: boolean }>();
const MOST_STYLES = 200;

export function hidesNothing(): boolean {
  if (document.querySelector("iframe,slot,details:not([open])") || [...document.adoptedStyleSheets, ...document.styleSheets].some(hides)) return false;
  const styled = document.querySelectorAll("[style]");
  return styled.length <= MOST_STYLES && [...styled].every((one) => !HIDES.test(one.getAttribute("style") ?? "")) && !hasShadows();
}

function hides(sheet: CSSStyleSheet): boolean {
  try {
    const { cssRules } = sheet;
    const before = known.get(sheet);
    if (before?.rules === cssRules.length) return before.hides;
    const found = { rules: cssRules.length, hides: [...cssRules].some((rule) => HIDES.test(rule.cssText)) };
    known.set(sheet, found);
    return found.hides;
  } catch {
    return true; // one of another site, which can't be read
  }
}

/** An element of the page's own kinds may have one that is closed. */
function hasShadows(): boolean {
  for (const element of elementsIn(document)) if (element.shadowRoot !== null || element.localName.includes("-")) return true;
  return false;
}
