/** Text as a reader can make it out: drawn, large enough, in a colour of its own, neither masked nor under something. */

import { clipPathArea } from "./clip_path";
import { colorOf } from "./colors";
import { Ink } from "./ink";
import { drawnIn } from "./shadow";
import { styleOf } from "./task_memory";
import { type Area, areEmpty, isLegible, overlap, Visibility } from "./visibility";

const DEFINITIONS = "defs,symbol,clipPath,mask,pattern,marker";
const FAINT = 0.05;
const SMALLEST_PX = 4;

/** One examination of a page. */
export class LegibleText {
  readonly sight: Visibility;
  private readonly ink = new Ink();
  private readonly cuts = new Map<Element, Area[]>();

  /** `isScrolledIn`: text that a list has scrolled out of view doesn't count either. */
  constructor(isScrolledIn: boolean) {
    this.sight = new Visibility(isScrolledIn);
  }

  /** Where a text is seen, if it is, and optionally only `within` an area. */
  seenAt(text: Text, within?: Area): Area | null {
    const place = this.placeOf(text, within);
    return place && !this.sight.isCovered(drawnIn(text)!, place) ? place : null;
  }

  /** Also of text under something else, such as a banner that a person can close. */
  placeOf(text: Text, within?: Area): Area | null {
    const place = this.sight.readableArea(text, within);
    if (!place || place.bottom - place.top < SMALLEST_PX) return null;
    const holder = drawnIn(text)!;
    const rest = this.cutsAround(holder).reduce(overlap, place);
    return !areEmpty(rest) && isLegible(place, rest) && isWritten(holder) && this.ink.differs(holder, rest) ? rest : null;
  }

  /** What clip paths and masks leave of this element. */
  private cutsAround(element: Element): Area[] {
    const cached = this.cuts.get(element);
    if (cached) return cached;
    const { clipPath, maskImage } = styleOf(element);
    const around = drawnIn(element);
    const own = isTransparent(maskImage) || isFolded(element, around) ? NOTHING : clipPathArea(element, clipPath);
    const above = around ? this.cutsAround(around) : [];
    const all = own ? [...above, own] : above;
    this.cuts.set(element, all);
    return all;
  }
}

const NOTHING: Area = { left: 0, top: 0, right: 0, bottom: 0 };

/** Not in a drawing's definitions or right in a closed part of the page, and not as dots. */
function isWritten(holder: Element): boolean {
  if (holder instanceof HTMLDetailsElement && !holder.open) return false;
  const security = (styleOf(holder) as CSSStyleDeclaration & { webkitTextSecurity: string }).webkitTextSecurity;
  return security === "none" && !(holder instanceof SVGElement && holder.closest(DEFINITIONS));
}

const isFolded = (element: Element, around: Element | null): boolean => around instanceof HTMLDetailsElement && !around.open && element.tagName !== "SUMMARY";

/** A mask of transparent colours alone. */
function isTransparent(mask: string): boolean {
  if (mask === "none" || mask.includes("url(")) return false;
  const colors = mask.match(/rgba?\([^)]*\)|[a-z]+\([^()]*\)(?!\))/g) ?? [];
  return colors.length > 0 && colors.every((color) => colorOf(color).alpha < FAINT);
}
