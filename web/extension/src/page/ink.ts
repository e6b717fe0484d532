/** Whether letters can be told from what is behind them: not if both have the same colour. */

import { type Color, colorOf, colorsIn, difference, over } from "./colors";
import { allRoots, containsAcross, drawnIn, elementsIn, localNameOf } from "./shadow";
import { styleOf } from "./task_memory";
import { type Area, SCROLLS } from "./visibility";

/** Of 255: a smaller difference can't be seen. */
export const LEAST_DIFFERENCE = 12;
const PICTURES = new Set(["IMG", "VIDEO", "CANVAS", "IFRAME", "OBJECT", "EMBED", "SVG", "INPUT"]);
const WHITE: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
const DARK: Color = { red: 18, green: 18, blue: 18, alpha: 1 };

/** `color`: null for a picture, which may have any. `isBeside`: painted for the element, but not behind all it contains. */
interface Paint { element: Element; color: Color | null; isBeside: boolean; box?: DOMRect }

/** What an element paints, and whether it scrolls its content. */
interface Ground { paint: Paint | null; isList: boolean; isBare?: boolean }

/** One examination of a page. */
export class Ink {
  private readonly grounds = new Map<Element, Ground>();
  private others: Paint[] | null = null;
  private readonly canvas = isDark() ? DARK : WHITE;

  /** Whether this element's letters differ from what is painted behind this place. */
  differs(holder: Element, place: Area): boolean {
    const style = styleOf(holder);
    const isDrawing = holder instanceof SVGElement;
    const letters = isDrawing ? fillOf(style) : colorOf(style.webkitTextFillColor);
    const back = letters && this.behind(holder, place);
    if (letters && (!back || difference(over(letters, back), back) > LEAST_DIFFERENCE)) return true;
    if (isDrawing ? hasStroke(style) : hasOtherInk(holder, style, back)) return true;
    return letters !== null && letters.alpha > 0 && this.isOnSomethingElse(holder, place, letters);
  }

  /** The colour that the elements around it paint there; null if one of them has a picture. */
  private behind(holder: Element, place: Area): Color | null {
    const layers: Color[] = [];
    let there = place;
    for (let at: Element | null = holder; at && !this.isBare(at) && (layers.at(-1)?.alpha ?? 0) < 0.95; at = drawnIn(at)) {
      const { paint, isList } = this.groundOf(at);
      if (isList) there = scrolledInto(at, there);
      if (!paint || !isBehind(paint, there)) continue;
      if (!paint.color) return null;
      layers.push(paint.color);
    }
    return layers.reduceRight((back, front) => over(front, back), this.canvas);
  }

  /** Neither it nor anything around it paints. */
  private isBare(element: Element): boolean {
    const ground = this.groundOf(element);
    const around = drawnIn(element);
    return (ground.isBare ??= ground.paint === null && (!around || this.isBare(around)));
  }

  private groundOf(element: Element): Ground {
    let ground = this.grounds.get(element);
    if (!ground) {
      const style = styleOf(element);
      this.grounds.set(element, (ground = { paint: paintOf(element, style), isList: SCROLLS.test(style.overflow) }));
    }
    return ground;
  }

  /** A picture or a box that was placed under the letters. Looked for only if a text seems to be invisible. */
  private isOnSomethingElse(holder: Element, place: Area, letters: Color): boolean {
    this.others ??= allPaints();
    const isSeenOn = ({ color }: Paint): boolean => !color || difference(over(color, letters), letters) > LEAST_DIFFERENCE;
    return this.others.some((paint) => isSeenOn(paint) && isBehind(paint, place) && (paint.isBeside || !containsAcross(paint.element, holder))) || isBlended(holder);
  }
}

/** Where a list shows what it has scrolled out of view, once that is scrolled in. */
function scrolledInto(list: Element, { left, top, right, bottom }: Area): Area {
  const box = list.getBoundingClientRect();
  const isBeside = right <= box.left || left >= box.right || bottom <= box.top || top >= box.bottom;
  return isBeside && list !== document.body && list !== document.documentElement ? box : { left, top, right, bottom };
}

function isDark(): boolean {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme.includes("dark") && (!colorScheme.includes("light") || matchMedia("(prefers-color-scheme: dark)").matches);
}

function paintOf(element: Element, style: CSSStyleDeclaration, isBeside = false): Paint | null {
  const isPicture = (style.backgroundImage !== "none" && !style.backgroundClip.includes("text")) || style.boxShadow.includes("inset");
  const color = isPicture ? null : colorOf(style.backgroundColor);
  return color?.alpha === 0 ? null : { element, color, isBeside };
}

/** The page's own background is everywhere. */
function isBehind(paint: Paint, place: Area): boolean {
  if (!paint.isBeside && (paint.element === document.documentElement || paint.element === document.body)) return true;
  const box = (paint.box ??= paint.element.getBoundingClientRect());
  const [x, y] = [(place.left + place.right) / 2, (place.top + place.bottom) / 2];
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
}

function allPaints(): Paint[] {
  const paints: (Paint | null)[] = [];
  for (const root of allRoots()) {
    for (const element of elementsIn(root)) {
      const style = styleOf(element);
      if (PICTURES.has(localNameOf(element).toUpperCase())) paints.push({ element, color: null, isBeside: false });
      else paints.push(paintOf(element, style));
      for (const which of ["::before", "::after"]) {
        const added = getComputedStyle(element, which);
        if (added.content !== "none" && added.content !== "normal") paints.push(paintOf(element, added, true));
      }
    }
  }
  return paints.filter((paint) => paint !== null);
}

function fillOf({ fill, fillOpacity }: CSSStyleDeclaration): Color | null {
  if (fill === "none") return null;
  const color = fill.startsWith("url(") ? { ...WHITE, red: 128 } : colorOf(fill);
  return { ...color, alpha: color.alpha * Number(fillOpacity) };
}

const hasStroke = ({ stroke, strokeOpacity, strokeWidth }: CSSStyleDeclaration): boolean =>
  stroke !== "none" && Number(strokeOpacity) > 0 && Number.parseFloat(strokeWidth) > 0 && (stroke.startsWith("url(") || colorOf(stroke).alpha > 0);

/** A shadow, an outline, or a background that is cut out in the form of the letters, in a colour that can be seen there. */
function hasOtherInk(holder: Element, style: CSSStyleDeclaration, back: Color | null): boolean {
  const isSeen = (value: string): boolean => colorsIn(value).some((color) => color.alpha > 0 && (!back || difference(over(color, back), back) > LEAST_DIFFERENCE));
  if (isSeen(style.textShadow) || (Number.parseFloat(style.webkitTextStrokeWidth) > 0 && isSeen(style.webkitTextStrokeColor))) return true;
  for (let at: Element | null = holder; at; at = drawnIn(at)) {
    const { backgroundClip, backgroundImage, backgroundColor } = styleOf(at);
    if (backgroundClip.includes("text") && (backgroundImage.includes("url(") || isSeen(`${backgroundImage} ${backgroundColor}`))) return true;
  }
  return false;
}

function isBlended(element: Element): boolean {
  for (let at: Element | null = element; at; at = drawnIn(at)) if (styleOf(at).mixBlendMode !== "normal") return true;
  return false;
}
