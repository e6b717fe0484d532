/** Whether the styles of a page can't hide any text: then all that is laid out can be read, and needs no examination. */

import { BADGE_ATTRIBUTE } from "./badge";
import { type Color, colorOf, difference } from "./colors";
import { LEAST_DIFFERENCE } from "./ink";
import { elementsIn } from "./shadow";

const LENGTH = /^(auto|initial|none|normal|0|medium|\d*\.?\d+(px|r?em|%|ch|v[wh]|pt)?)( \d*\.?\d+(px|r?em|%))?$/;
const ANY = /^[\w\s"',.()#%-]*$/;
/** What they may have as values. A property that isn't among them may hide something. */
const HARMLESS: [names: RegExp, values: RegExp][] = [
  [/^(margin|padding|border-(top|right|bottom|left|inline|block))(-(top|right|bottom|left|start|end|inline|block))*(-width)?$/, LENGTH],
  [/^border(-(top|right|bottom|left))*-(style|color|radius)$|^border-(collapse|spacing)$|^border-(top|bottom)-(left|right)-radius$/, ANY],
  [/^border-image-|^background-(image|position-[xy]|size|repeat|attachment|origin|clip)$|^font-(size-adjust|variation-settings|palette)$/, /^(initial|none|normal)$/],
  [/^(min-|max-)?(width|height)$|^(row-|column-)?gap$|^flex-(grow|shrink|basis)$/, LENGTH],
  [/^font-(style|weight|stretch|family|variant.*|optical-sizing|kerning|feature-settings|language-override)$/, ANY],
  [/^font-size$/, /^((1\d|[6-9]|[2-9]\d)(\.\d+)?px|[1-9]\d*(\.\d+)?r?em|(x{1,2}-)?(small|large)|medium|1\d\d%)$/],
  [/^line-height$/, /^(normal|initial|[1-9][\w.%]*)$/],
  [/^display$/, /^(block|inline|inline-block|flex|inline-flex|flow-root|list-item|table|table-cell|table-row|contents|none)$/],
  [/^(text-(align|decoration|transform|wrap)|white-space|vertical-align|list-style|align|justify|flex-wrap|flex-direction|cursor|box-sizing)/, /^[a-z][a-z\s-]*$/],
  [/^(color|background-color)$/, ANY],
  [/^(position|top)$/, /^(static|sticky|0|0px)$/],
];
const ODD = `iframe,frame,slot,svg,math,canvas,object,embed,video,audio,select,font,marquee,meter,progress,details:not([open]),[hidden=until-found],[bgcolor],[text],[link],[vlink],[popover]:not([${BADGE_ATTRIBUTE}])`;
const MOST_STYLED = 200;
/** Of a page without styles: letters, links, visited links, buttons; the page and its buttons. */
const LETTERS = ["rgb(0, 0, 0)", "rgb(0, 0, 238)", "rgb(85, 26, 139)"];
const GROUNDS = ["rgb(255, 255, 255)", "rgb(239, 239, 239)"];

export function hasPlainStyles(): boolean {
  if (document.querySelector(ODD) || document.getAnimations().length) return false;
  const styled = [...document.querySelectorAll<HTMLElement>(`[style]:not([${BADGE_ATTRIBUTE}])`)];
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets];
  const [letters, grounds] = [new Set(LETTERS), new Set(GROUNDS)];
  const isHarmless = (style: CSSStyleDeclaration): boolean => areHarmless(style, letters, grounds);
  if (styled.length > MOST_STYLED || !styled.every(({ style }) => isHarmless(style)) || !sheets.every((sheet) => rulesOf(sheet)?.every((rule) => rule instanceof CSSStyleRule && !rule.cssRules.length && isHarmless(rule.style) && isPlainlyPlaced(rule)))) return false;
  return areApart([...letters].map(colorOf), [...grounds].map(colorOf)) && !hasShadows();
}

function rulesOf(sheet: CSSStyleSheet): CSSRule[] | null {
  try {
    return sheet.disabled ? [] : [...sheet.cssRules];
  } catch {
    return null; // a style sheet of another site, which can't be read
  }
}

function areHarmless(style: CSSStyleDeclaration, letters: Set<string>, grounds: Set<string>): boolean {
  for (const name of style) {
    const value = style.getPropertyValue(name);
    if (!HARMLESS.some(([names, values]) => names.test(name) && (value === "initial" || values.test(value)))) return false;
    if (name === "color") letters.add(value);
    if (name === "background-color" && value !== "initial") grounds.add(value);
  }
  return true;
}

/** What sticks to the edge of the view covers nothing for good if nothing stands before it. */
function isPlainlyPlaced({ style, selectorText }: CSSStyleRule): boolean {
  return style.position !== "sticky" || [...document.querySelectorAll(selectorText)].every((one) => one === document.body.firstElementChild);
}

const areApart = (letters: Color[], grounds: Color[]): boolean =>
  [...letters, ...grounds].every((color) => color.alpha === 1) && letters.every((one) => grounds.every((other) => difference(one, other) > LEAST_DIFFERENCE));

/** Custom elements may have a closed shadow root. */
function hasShadows(): boolean {
  for (const element of elementsIn(document)) if (element.shadowRoot !== null || element.localName.includes("-")) return true;
  return false;
}
