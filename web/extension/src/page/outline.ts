/** Marks one element for a picture that a person will decide by, and says what it is. */

import { bringIntoView } from "./aim";
import type { Ask, Outlined } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { entryOf } from "./description";
import { boxOf } from "./geometry";
import { nextRef, resolve, startFrom } from "./refs";

const GAP = 3;
const STYLE = "all: initial; position: fixed; margin: 0; padding: 0; background: none; box-sizing: border-box; pointer-events: none; z-index: 2147483647; border: 3px solid #d6336c; border-radius: 4px; box-shadow: 0 0 0 2px #fff, 0 0 12px 4px #d6336c99;";

let mark: HTMLElement | null = null;

export function outline(ask: Ask<"outline">): Outlined {
  startFrom(ask.floor);
  const element = resolve(ask.target);
  bringIntoView(element);
  removeOutline();
  mark = document.createElement("div");
  mark.setAttribute(BADGE_ATTRIBUTE, "");
  const { left, top, width, height } = boxOf(element);
  mark.style.cssText = `${STYLE} left: ${left - GAP}px; top: ${top - GAP}px; width: ${width + 2 * GAP}px; height: ${height + 2 * GAP}px;`;
  document.documentElement.append(mark);
  // Above a page's own dialogs, where the document can have popovers.
  if (typeof mark.showPopover === "function") {
    mark.popover = "manual";
    mark.showPopover();
  }
  const { ref, tag, role, name } = entryOf(element);
  return { ref, tag, role, name, next: nextRef() };
}

export function removeOutline(): void {
  mark?.remove();
  mark = null;
}
