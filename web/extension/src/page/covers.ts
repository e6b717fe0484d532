/** What hides text that lies under it: boxes, drawings and what styles add to them, also those that the mouse passes through. */

import { colorOf, colorsIn } from "./colors";
import { mayPassMouse } from "./pointing";
import { drawnIn, shadowRootOf } from "./shadow";
import { styleOf } from "./task_memory";
import { type Area, areEmpty, overlap, view } from "./visibility";

const SOLID = new Set(["IMG", "VIDEO", "CANVAS", "IFRAME"]);
const DENSE = 0.95;
/** In pixels: letters behind it can't be read. */
const BLURRED = /blur\((\d{2,}|[6-9])(\.\d+)?px\)/;
/** Every cover takes the mouse while the page is examined; the page's own scripts don't run meanwhile. */
const HITTABLE = new CSSStyleSheet();
HITTABLE.replaceSync("*{pointer-events:auto!important}");

let isHittable = false;

/** Whether something opaque lies over the holder's text, which fills this area, at a point of it. */
export function isCoveredAt(holder: Element, x: number, y: number, area: Area): boolean {
  const top = document.elementFromPoint(x, y);
  if (!top) return false;
  if (isOneWith(top, holder)) return top !== holder && top.contains(holder) && hasAddedCover(top, area);
  // The topmost element is checked first; everything below it takes several times as long.
  if (isOpaque(top, area)) return true;
  for (const hit of document.elementsFromPoint(x, y)) {
    if (isOneWith(hit, holder)) return false;
    if (isOpaque(hit, area)) return true;
  }
  return false;
}

/** Lets the mouse hit what it passes through otherwise, if such a thing could cover anything. */
export function makeCoversHittable(): void {
  if (isHittable || ![...mayPassMouse()].some(isPassedCover)) return;
  isHittable = true;
  document.adoptedStyleSheets.push(HITTABLE);
  queueMicrotask(() => {
    isHittable = false;
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== HITTABLE);
  });
}

function isPassedCover(element: Element): boolean {
  const box = overlap(element.getBoundingClientRect(), view());
  return !areEmpty(box) && styleOf(element).pointerEvents === "none" && element.checkVisibility({ visibilityProperty: true }) && isOpaque(element, box);
}

function isOneWith(hit: Element, holder: Element): boolean {
  if (hit === holder || holder.contains(hit) || hit.contains(holder)) return true;
  for (let at: Element | null = holder; at; at = drawnIn(at)) if (at === hit) return true;
  return shadowRootOf(hit) !== null && hit.contains(holder);
}

function isOpaque(element: Element, area: Area): boolean {
  const style = styleOf(element);
  if (Number(style.opacity) < DENSE) return false;
  if (SOLID.has(element.tagName) || isFilled(style) || BLURRED.test(style.backdropFilter)) return true;
  if (element instanceof SVGGeometryElement) return style.fill !== "none" && alphaOf(style.fill) * Number(style.fillOpacity) >= DENSE;
  return hasAddedCover(element, area);
}

/** Whether `::before` or `::after` is a filled box of at least this size that lies over the page. */
function hasAddedCover(element: Element, { left, right }: Area): boolean {
  return ["::before", "::after"].some((which) => {
    const style = getComputedStyle(element, which);
    const { content, position, width } = style;
    const isPlaced = content !== "none" && content !== "normal" && (position === "absolute" || position === "fixed");
    return isPlaced && !(Number.parseInt(style.zIndex) < 0) && Number.parseFloat(width) >= right - left && Number(style.opacity) >= DENSE && (isFilled(style) || BLURRED.test(style.backdropFilter));
  });
}

/** With one colour, or a gradient of opaque ones. */
function isFilled({ backgroundColor, backgroundImage, backgroundClip }: CSSStyleDeclaration): boolean {
  if (backgroundClip.includes("text")) return false;
  if (alphaOf(backgroundColor) >= DENSE) return true;
  const colors = backgroundImage.includes("url(") ? [] : colorsIn(backgroundImage);
  return colors.length > 0 && colors.every(({ alpha }) => alpha >= DENSE);
}

const alphaOf = (color: string): number => (color.startsWith("url(") ? 1 : colorOf(color).alpha);
