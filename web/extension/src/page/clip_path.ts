/** The part of an element that its `clip-path` leaves, as a box around it. */

import { type Area, areEmpty } from "./visibility";

const NOTHING: Area = { left: 0, top: 0, right: 0, bottom: 0 };

/** Null if it isn't clipped, or in a way that isn't understood. */
export function clipPathArea(element: Element, clipPath: string): Area | null {
  if (clipPath === "none" || clipPath.includes("calc(")) return null;
  const [, shape, words = ""] = /^(\w+)\((.*?)\)/.exec(clipPath) ?? [];
  const box = element.getBoundingClientRect();
  if (shape === "inset") return insetArea(words, box);
  if (shape === "polygon") return around(words.replace(/^(nonzero|evenodd),/, "").split(",").map((pair) => pair.trim().split(/\s+/)), box);
  if (shape === "circle" || shape === "ellipse") return /^0(px|%)?( 0(px|%)?)?( at|$)/.test(words.trim()) ? NOTHING : null;
  if (shape === "path") return (words.match(/-?[\d.]+/g) ?? []).length < 6 && !/[HhVv]/.test(words) ? NOTHING : null;
  return shape === "url" ? referenced(words) : null;
}

function insetArea(words: string, box: DOMRect): Area {
  const sides = words.split(" round")[0]!.trim().split(/\s+/);
  const [top = "0", right = top, bottom = top, left = right] = sides;
  return {
    left: box.left + length(left, box.width), top: box.top + length(top, box.height),
    right: box.right - length(right, box.width), bottom: box.bottom - length(bottom, box.height),
  };
}

function around(points: string[][], box: DOMRect): Area {
  const [across, down] = [points.map(([x = "0"]) => box.left + length(x, box.width)), points.map(([, y = "0"]) => box.top + length(y, box.height))];
  return { left: Math.min(...across), top: Math.min(...down), right: Math.max(...across), bottom: Math.max(...down) };
}

const length = (text: string, whole: number): number => (text.endsWith("%") ? (Number.parseFloat(text) * whole) / 100 : Number.parseFloat(text) || 0);

/** `<clipPath id="…">` without any area. */
function referenced(words: string): Area | null {
  const shapes = [...(document.getElementById(words.replace(/^["']?#|["']$/g, ""))?.children ?? [])];
  const isEmpty = (one: Element): boolean => one instanceof SVGGraphicsElement && areEmpty(areaOf(one.getBBox()));
  return shapes.length && shapes.every(isEmpty) ? NOTHING : null;
}

const areaOf = ({ x, y, width, height }: DOMRect): Area => ({ left: x, top: y, right: x + width, bottom: y + height });
