/** What changes a page's look without changing its tree: drawings, rules of styles, scripted animations, scrolling. */

import { isInView } from "./geometry";
import type { Root } from "./shadow";

/** A larger picture is compared in this many pixels. */
const MOST_PIXELS = 2_000_000;
const BLANK = "blank";

/** One state of the page. Two that differ don't look the same; `isUnsure` if a drawing can't be read. */
export interface Look { print: string; isUnsure: boolean }

export function lookOf(roots: Root[]): Look {
  const drawings = roots.flatMap((root) => [...root.querySelectorAll("canvas")]).filter((one) => one.width && one.height && isInView(one.getBoundingClientRect())).map(printOf);
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets].map(rulesIn);
  const moving = document.getAnimations().filter((one) => !(one instanceof CSSTransition || one instanceof CSSAnimation));
  return { print: [scrollX, scrollY, moving.length, ...sheets, ...drawings].join(), isUnsure: drawings.includes(BLANK) };
}

function rulesIn(sheet: CSSStyleSheet): number {
  try {
    return sheet.disabled ? -1 : sheet.cssRules.length;
  } catch {
    return 0; // of another site
  }
}

/** A drawing in few characters. Three-dimensional ones and those with pictures of other sites can't be read. */
function printOf(canvas: HTMLCanvasElement): string {
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (canvas.width * canvas.height)));
  const [width, height] = [Math.max(1, Math.round(canvas.width * scale)), Math.max(1, Math.round(canvas.height * scale))];
  try {
    const brush = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
    brush.drawImage(canvas, 0, 0, width, height);
    const pixels = new Uint32Array(brush.getImageData(0, 0, width, height).data.buffer);
    let print = 0;
    let isBlank = true;
    for (const pixel of pixels) {
      print = (Math.imul(print, 31) + pixel) | 0;
      isBlank &&= pixel === 0;
    }
    return isBlank ? BLANK : String(print);
  } catch {
    return BLANK;
  }
}
