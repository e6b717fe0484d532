/** Which of a page's text a person can read: not what is hidden, transparent, clipped, off the page or covered. */

import { isCoveredAt, makeCoversHittable } from "./covers";
import { drawnIn } from "./shadow";
import { styleOf } from "./task_memory";

export interface Area { left: number; top: number; right: number; bottom: number }

const FAR = 1e9;
const EVERYWHERE: Area = { left: -FAR, top: -FAR, right: FAR, bottom: FAR };
const NOTHING: Area = { left: 0, top: 0, right: 0, bottom: 0 };
const FAINT = 0.05;

export const view = (): Area => ({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
export const areEmpty = (area: Area): boolean => area.right - area.left < 1 || area.bottom - area.top < 1;
export const overlap = (one: Area, other: Area): Area => ({
  left: Math.max(one.left, other.left), top: Math.max(one.top, other.top), right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom),
});

/** At the edge of an area, text that is mostly cut off can't be read. */
export const isLegible = (part: Area, area: Area): boolean => {
  const inside = overlap(part, area);
  return !areEmpty(inside) && inside.bottom - inside.top >= (part.bottom - part.top) / 2;
};

/** Whether a box is drawn for it or, if it has none of its own, for its content. */
export function isDrawn(element: Element): boolean {
  if (element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return true;
  const { display, visibility } = styleOf(element);
  const around = display === "contents" && visibility === "visible" ? drawnIn(element) : null;
  return around !== null && isDrawn(around);
}

/** Without opacity, or blurred so far that letters run together. */
const UNREADABLE = /opacity\((0|0?\.0\d*)\)|blur\((\d{2,}|[6-9])(\.\d+)?px\)/;

/** What is known of an element; its style answers for as long as the examination lasts. */
interface Known { style: CSSStyleDeclaration; hasInk?: boolean; opacity?: number; clip?: Area }

/** One examination of a page; results about elements are cached until it is over. */
export class Visibility {
  private readonly known = new Map<Element, Known>();
  private readonly range = document.createRange();
  private readonly whole = pageArea();
  private readonly view = view();
  /** The same, with only what lists show right now. */
  private readonly now: Visibility;
  private isReady = false;

  /** `isScrolledIn`: text that a list has scrolled out of view doesn't count either. */
  constructor(private readonly isScrolledIn: boolean) {
    this.now = isScrolledIn ? this : new Visibility(true);
  }

  /** Where a text is drawn and can be read, optionally only `within` an area; null if it can't be read. */
  readableArea(text: Text, within = EVERYWHERE): Area | null {
    this.range.selectNodeContents(text);
    const rects = this.range.getClientRects();
    const holder = drawnIn(text);
    if (!rects.length || !holder) return null;
    let clip: Area | undefined;
    for (let at = 0; at < rects.length; at++) {
      const { left, top, right, bottom } = rects[at]!;
      const rect = { left, top, right, bottom };
      if (right - left < 1 || bottom - top < 2) continue;
      if (!isLegible(rect, within)) continue;
      clip ??= this.hasInk(holder) ? this.clipOf(holder) : undefined;
      if (!clip) return null;
      const part = overlap(rect, clip);
      if (isLegible(rect, clip) && isLegible(part, within)) return part;
    }
    return null;
  }

  private knownOf(element: Element): Known {
    let known = this.known.get(element);
    if (!known) this.known.set(element, (known = { style: styleOf(element) }));
    return known;
  }

  /** Whether the letters of this element are visible. */
  private hasInk(element: Element): boolean {
    const known = this.knownOf(element);
    const { style } = known;
    return (known.hasInk ??= isDrawn(element) && this.opacityOf(element) >= FAINT && (!isTransparent(style.webkitTextFillColor) || style.backgroundClip.includes("text")));
  }

  /** Includes the opacity of everything around it. */
  private opacityOf(element: Element): number {
    const known = this.knownOf(element);
    if (known.opacity === undefined) {
      const { filter, backfaceVisibility, opacity } = known.style;
      const isGone = (filter !== "none" && UNREADABLE.test(filter)) || (backfaceVisibility === "hidden" && isTurnedAway(element));
      const own = isGone ? 0 : Number(opacity);
      const around = drawnIn(element);
      known.opacity = own < FAINT || !around ? own : own * this.opacityOf(around);
    }
    return known.opacity;
  }

  /** The part of an element's content that remains after its ancestors have clipped it. */
  clipOf(element: Element): Area {
    const known = this.knownOf(element);
    if (known.clip) return known.clip;
    const { style } = known;
    const { position } = style;
    const around = position === "fixed" || position === "absolute" ? positionedAround(element, position) : drawnIn(element);
    const outer = around ? this.clipOf(around) : position === "fixed" ? this.view : this.whole;
    const isRoot = element === document.documentElement || element === document.body;
    return (known.clip = isCutAway(style, position) ? NOTHING : isRoot ? outer : this.insideOf(element, style, outer));
  }

  /** What a list has scrolled out of view can be scrolled in, as far as it reaches. */
  private insideOf(element: Element, style: CSSStyleDeclaration, outer: Area): Area {
    const isContained = /paint|strict|content/.test(style.contain);
    if (style.overflow === "visible" && !isContained) return outer;
    const box = element.getBoundingClientRect();
    const inner = overlap(box, outer);
    const isShut = isContained ? /./ : /hidden|clip/;
    const [cutsX, cutsY] = [isShut.test(style.overflowX), isShut.test(style.overflowY)];
    const [scrollsX, scrollsY] = [SCROLLS.test(style.overflowX), SCROLLS.test(style.overflowY)];
    const isReached = this.isScrolledIn || (!scrollsX && !scrollsY);
    if (!isReached && areEmpty(inner)) return NOTHING;
    const area = { ...outer };
    if (cutsX || scrollsX) [area.left, area.right] = isReached || !scrollsX ? [inner.left, inner.right] : reachOf(box.left, box.right, element.scrollLeft, element.scrollWidth, style.direction === "rtl");
    if (cutsY || scrollsY) [area.top, area.bottom] = isReached || !scrollsY ? [inner.top, inner.bottom] : reachOf(box.top, box.bottom, element.scrollTop, element.scrollHeight, style.flexDirection.endsWith("reverse"));
    return area;
  }

  /** Whether something opaque covers all of it. Only what is in view right now can be examined. */
  isCovered(holder: Element, place: Area): boolean {
    const inView = overlap(place, this.view);
    if (areEmpty(inView)) return false;
    const area = overlap(inView, this.now.clipOf(holder));
    if (areEmpty(area)) return false;
    if (!this.isReady) makeCoversHittable();
    this.isReady = true;
    const y = (area.top + area.bottom) / 2;
    const points = [(area.left + area.right) / 2, area.left + 1, area.right - 1];
    return points.every((x) => isCoveredAt(holder, x, y, area));
  }
}

/** Whether its back is to the reader, as of a card that isn't turned over yet. */
function isTurnedAway(element: Element): boolean {
  let matrix = new DOMMatrix();
  for (let at: Element | null = element; at; at = drawnIn(at)) {
    matrix = new DOMMatrix(styleOf(at).transform).multiply(matrix);
    const around = drawnIn(at);
    if (!around || styleOf(around).transformStyle !== "preserve-3d") break;
  }
  return matrix.m33 < 0;
}

/** Chrome writes colours as `rgb(…)`, `rgba(…)` or `color(… / a)`. */
function alphaOf(color: string): number {
  if (color.startsWith("rgb(")) return 1;
  const match = /^rgba\([^)]*,\s*([\d.]+)\)$/.exec(color) ?? /\/\s*([\d.]+)\)$/.exec(color);
  return match ? Number(match[1]) : color === "transparent" ? 0 : 1;
}

const isTransparent = (color: string): boolean => alphaOf(color) < FAINT;

/** `clip: rect(0,0,0,0)`, `clip-path: inset(50%)` and the like. */
function isCutAway(style: CSSStyleDeclaration, position: string): boolean {
  if (style.contentVisibility === "hidden") return true;
  const clip = position === "absolute" || position === "fixed" ? style.clip : "auto";
  if (clip && clip !== "auto") {
    const [top = 0, right = 0, bottom = 0, left = 0] = [...clip.matchAll(/-?[\d.]+/g)].map(Number);
    if (right - left < 2 || bottom - top < 2) return true;
  }
  const { clipPath } = style;
  return clipPath !== "none" && /^inset\((50|[5-9]\d|100)(\.\d+)?%|^circle\(0|^polygon\(0(px|%)? 0(px|%)?, 0(px|%)? 0/.test(clipPath);
}

/** The element that a positioned one is placed in, and clipped by. */
function positionedAround(element: Element, position: string): Element | null {
  for (let at = drawnIn(element); at; at = drawnIn(at)) {
    const style = styleOf(at);
    if ((position === "absolute" && style.position !== "static") || holdsFixed(style)) return at;
  }
  return null;
}

const holdsFixed = ({ transform, translate, rotate, scale, filter, perspective, contain, willChange }: CSSStyleDeclaration): boolean =>
  [transform, translate, rotate, scale, filter, perspective].some((value) => value !== "none") || /paint|layout|strict|content/.test(contain) || /transform|filter|perspective/.test(willChange);

export const SCROLLS = /auto|scroll/;

/** From where to where a list's content reaches in one direction, wherever it is scrolled to now. */
function reachOf(start: number, end: number, scrolledBy: number, length: number, isBackwards: boolean): [number, number] {
  return isBackwards || scrolledBy < 0 ? [end - scrolledBy - length, end - scrolledBy] : [start - scrolledBy, start - scrolledBy + length];
}

/** What is left of the page's start, or above it, can't be scrolled to; neither can the right if the page doesn't scroll there. */
function pageArea(): Area {
  const root = document.documentElement;
  const isShut = [root, document.body].some((one) => one && /hidden|clip/.test(styleOf(one).overflowX));
  return { left: styleOf(root).direction === "rtl" ? -FAR : -scrollX, top: -scrollY, right: isShut ? innerWidth : FAR, bottom: FAR };
}
