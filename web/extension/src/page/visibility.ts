/** Which of a page's text a person can read: not what is hidden, transparent, clipped, off the page or covered. */

import { parentAcross, shadowRootOf } from "./shadow";

export interface Area { left: number; top: number; right: number; bottom: number }

const EVERYWHERE: Area = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
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
  const { display, visibility } = getComputedStyle(element);
  const around = display === "contents" && visibility === "visible" ? parentAcross(element) : null;
  return around !== null && isDrawn(around);
}

/** One examination of a page; results about elements are cached until it is over. */
export class Visibility {
  private readonly clips = new Map<Element, Area>();
  private readonly inks = new Map<Element, boolean>();
  private readonly opacities = new Map<Element, number>();
  private readonly range = document.createRange();
  private readonly scrolledBy = { x: scrollX, y: scrollY };

  /** `isScrolledIn`: text that a list has scrolled out of view doesn't count either. */
  constructor(private readonly isScrolledIn: boolean) {}

  /** Where a text is drawn and can be read, optionally only `within` an area; null if it can't be read. */
  readableArea(text: Text, within = EVERYWHERE): Area | null {
    this.range.selectNodeContents(text);
    const rects = this.range.getClientRects();
    const holder = parentAcross(text);
    if (!rects.length || !holder) return null;
    let clip: Area | undefined;
    for (let at = 0; at < rects.length; at++) {
      const { left, top, right, bottom } = rects[at]!;
      const rect = { left, top, right, bottom };
      if (right - left < 1 || bottom - top < 2) continue;
      if (right + this.scrolledBy.x <= 0 || bottom + this.scrolledBy.y <= 0) continue;
      if (!isLegible(rect, within)) continue;
      clip ??= this.hasInk(holder) ? this.clipOf(holder) : undefined;
      if (!clip) return null;
      const part = overlap(rect, clip);
      if (isLegible(part, within)) return part;
    }
    return null;
  }

  /** Whether the letters of this element are visible. */
  private hasInk(element: Element): boolean {
    let has = this.inks.get(element);
    if (has === undefined) {
      const style = getComputedStyle(element);
      has = isDrawn(element) && this.opacityOf(element, style) >= FAINT && (!isTransparent(style.webkitTextFillColor) || style.backgroundClip.includes("text"));
      this.inks.set(element, has);
    }
    return has;
  }

  /** Includes the opacity of everything around it. */
  private opacityOf(element: Element, style = getComputedStyle(element)): number {
    let opacity = this.opacities.get(element);
    if (opacity === undefined) {
      const { filter } = style;
      const own = filter !== "none" && /opacity\((0|0?\.0\d*)\)/.test(filter) ? 0 : Number(style.opacity);
      const around = parentAcross(element);
      opacity = own < FAINT || !around ? own : own * this.opacityOf(around);
      this.opacities.set(element, opacity);
    }
    return opacity;
  }

  /** The part of an element's content that remains after its ancestors have clipped it. */
  clipOf(element: Element): Area {
    const cached = this.clips.get(element);
    if (cached) return cached;
    const style = getComputedStyle(element);
    const { position, overflow } = style;
    const around = position === "fixed" ? null : position === "absolute" ? positionedAround(element) : parentAcross(element);
    let area = around ? this.clipOf(around) : EVERYWHERE;
    const isRoot = element === document.documentElement || element === document.body;
    if (overflow !== "visible" && !isRoot) {
      const cuts = this.isScrolledIn ? /hidden|clip|auto|scroll/ : /hidden|clip/;
      const [isCutX, isCutY] = [cuts.test(style.overflowX), cuts.test(style.overflowY)];
      const box = isCutX || isCutY ? element.getBoundingClientRect() : area;
      if (isCutX) area = { ...area, left: Math.max(area.left, box.left), right: Math.min(area.right, box.right) };
      if (isCutY) area = { ...area, top: Math.max(area.top, box.top), bottom: Math.min(area.bottom, box.bottom) };
    }
    if (isCutAway(style, position)) area = { left: 0, top: 0, right: 0, bottom: 0 };
    this.clips.set(element, area);
    return area;
  }

  /** Whether something opaque covers all of it. Only content in the viewport can be examined. */
  isCovered(holder: Element, place: Area): boolean {
    const area = overlap(place, view());
    if (areEmpty(area)) return false;
    const y = (area.top + area.bottom) / 2;
    const points = [(area.left + area.right) / 2, area.left + 1, area.right - 1];
    return points.every((x) => this.isCoveredAt(holder, x, y));
  }

  /** The topmost element is checked first; everything below it takes several times as long. */
  private isCoveredAt(holder: Element, x: number, y: number): boolean {
    const top = document.elementFromPoint(x, y);
    if (!top || isOneWith(top, holder)) return false;
    if (isOpaque(top)) return true;
    for (const hit of document.elementsFromPoint(x, y)) {
      if (isOneWith(hit, holder)) return false;
      if (isOpaque(hit)) return true;
    }
    return false;
  }
}

const isOneWith = (hit: Element, holder: Element): boolean => hit === holder || holder.contains(hit) || hit.contains(holder) || isShadowAround(hit, holder);

const isShadowAround = (hit: Element, holder: Element): boolean => {
  for (let at: Element | null = holder; at; at = parentAcross(at)) if (at === hit) return true;
  return shadowRootOf(hit) !== null && hit.contains(holder);
};

const SOLID = new Set(["IMG", "VIDEO", "CANVAS", "IFRAME"]);

function isOpaque(element: Element): boolean {
  const style = getComputedStyle(element);
  if (Number(style.opacity) < 0.95) return false;
  return SOLID.has(element.tagName) || alphaOf(style.backgroundColor) >= 0.95;
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

function positionedAround(element: Element): Element | null {
  for (let at = parentAcross(element); at; at = parentAcross(at)) {
    const { position, transform } = getComputedStyle(at);
    if (position !== "static" || transform !== "none") return at;
  }
  return null;
}
