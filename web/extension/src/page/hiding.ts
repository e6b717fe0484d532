/** Whether a page has a way to hide text at all that the browser's own `innerText` does not know of. */

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

/** Besides elements of the page's own kinds, only these can have one. */
const MAY_HAVE_SHADOW = "article,aside,blockquote,body,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span";

function hasShadows(): boolean {
  if (document.querySelector(":not(:defined)")) return true;
  for (const element of document.querySelectorAll(MAY_HAVE_SHADOW)) if (element.shadowRoot) return true;
  for (const element of document.getElementsByTagName("*")) if (element.localName.includes("-")) return true;
  return false;
}
