/** Whether the styles of a page can't hide any text: then all that is laid out can be read, and needs no examination. */

import { type Color, colorOf, difference } from "./colors";
import { LEAST_DIFFERENCE } from "./ink";
import { type Shape, shapeOf } from "./shapes";
import { elementsIn, localNameOf } from "./shadow";

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
  [/^display$/, /^(block|inline|inline-block|flex|inline-flex|flow-root|list-item|table|table-cell|table-row|none)$/],
  [/^flex-(direction|wrap)$/, /^(row|column|wrap|nowrap)$/],
  [/^(text-(align|decoration|transform|wrap)|white-space|vertical-align|list-style|align|justify|cursor|box-sizing)/, /^[a-z][a-z\s-]*$/],
  [/^(color|background-color)$/, ANY],
  [/^(position|top)$/, /^(static|sticky|0|0px)$/],
];
const ODD = [
  "iframe", "frame", "slot", "svg", "math", "canvas", "object", "embed", "video", "audio", "select", "font", "marquee", "meter", "progress", "dialog", "details", "tfoot",
];
const ODD_ATTRIBUTES = "[hidden=until-found],[popover],body[bgcolor],body[text],body[link],body[vlink]";
/** Their own attributes decide how they are laid out, or whether. */
const OWN_LAYOUT = "[style],[hidden],[align],[popover]";
const LAYOUT = ["display", "flex-direction", "flex-wrap"];
const TAG = /^[a-z][a-z0-9]*$/;
const MOST_STYLED = 200;
const MOST_SELECTORS = 29;
/** Of a page without styles: letters, links, visited links, buttons; the page and its buttons. */
const LETTERS = ["rgb(0, 0, 0)", "rgb(0, 0, 238)", "rgb(85, 26, 139)"];
const GROUNDS = ["rgb(255, 255, 255)", "rgb(239, 239, 239)"];

/**
 * The layout of such a page. Elements with the same name that match the same rules are laid out in the same way, so only
 * the first one is asked for its style.
 */
export class PlainStyles {
  private readonly shapes = new Map<number, Map<string, Shape>>();
  private matches: Map<Element, number> | null = null;

  /** `selectors` of the rules about layout, without those that only name a tag; `ownLayout`: elements with attributes about it. */
  private constructor(private readonly selectors: string[], private readonly ownLayout: Set<Element>) {}

  /** Null if something on the page may hide text. Shadow trees aren't examined. */
  static ofPage(): PlainStyles | null {
    const { body, documentElement } = document;
    if (!body || ODD.some((tag) => document.getElementsByTagName(tag).length) || document.fullscreenElement || document.getAnimations().length) return null;
    const withOwn = [documentElement, body, ...body.querySelectorAll(OWN_LAYOUT)];
    if (withOwn.some((one) => one.matches(ODD_ATTRIBUTES))) return null;
    if (document.getElementsByTagName("table").length && body.querySelector("table[bgcolor],table [bgcolor]")) return null;
    const styled = withOwn.filter((one): one is HTMLElement => one instanceof HTMLElement && one.hasAttribute("style"));
    const rules = [...document.styleSheets, ...document.adoptedStyleSheets].flatMap(rulesOf);
    const [letters, grounds] = [new Set(LETTERS), new Set(GROUNDS)];
    const isHarmless = (style: CSSStyleDeclaration): boolean => areHarmless(style, letters, grounds);
    if (styled.length > MOST_STYLED || !styled.every(({ style }) => isHarmless(style))) return null;
    if (!rules.every((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && !rule.cssRules.length && isHarmless(rule.style) && isPlainlyPlaced(rule))) return null;
    const selectors = areApart([...letters].map(colorOf), [...grounds].map(colorOf)) ? layoutSelectors(rules) : null;
    return selectors && new PlainStyles(selectors, new Set(withOwn));
  }

  shapeOf(element: Element, tag: string, around: Shape): Shape {
    if (this.ownLayout.has(element) || (tag === "INPUT" && (element as HTMLInputElement).type === "hidden")) return shapeOf(getComputedStyle(element));
    const key = this.matchesOf(element) | (around.holdsItems ? 1 : 0);
    let byTag = this.shapes.get(key);
    if (!byTag) this.shapes.set(key, (byTag = new Map<string, Shape>()));
    let shape = byTag.get(tag);
    if (!shape) byTag.set(tag, (shape = shapeOf(getComputedStyle(element))));
    return shape;
  }

  /** A bit for each selector; the lowest one is left free. */
  private matchesOf(element: Element): number {
    if (!this.selectors.length) return 0;
    if (!this.matches) {
      this.matches = new Map<Element, number>();
      for (const [at, selector] of this.selectors.entries()) {
        for (const one of document.querySelectorAll(selector)) this.matches.set(one, (this.matches.get(one) ?? 0) | (2 << at));
      }
    }
    return this.matches.get(element) ?? 0;
  }
}

/** Each by itself, because they have different weights. Null if they can't be told apart. */
function layoutSelectors(rules: CSSStyleRule[]): string[] | null {
  const texts = rules.filter(({ style }) => LAYOUT.some((name) => style.getPropertyValue(name))).map(({ selectorText }) => selectorText);
  if (texts.some((text) => text.includes(",") && /[()[\]"'\\]/.test(text))) return null;
  const selectors = new Set(texts.flatMap((text) => text.split(",").map((one) => one.trim())).filter((one) => !TAG.test(one)));
  return selectors.size <= MOST_SELECTORS ? [...selectors] : null;
}

function rulesOf(sheet: CSSStyleSheet): (CSSRule | null)[] {
  try {
    return sheet.disabled ? [] : [...sheet.cssRules];
  } catch {
    return [null]; // a style sheet of another site, which can't be read
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
export function hasShadows(): boolean {
  for (const element of elementsIn(document)) if (element.shadowRoot !== null || localNameOf(element).includes("-")) return true;
  return false;
}
