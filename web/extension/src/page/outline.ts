/** Outlines one element for the picture that a person decides by, and describes it. */

import { bringIntoView, openPoint } from "./aim";
import type { PageRequest, PicturedElement, Outlined } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { entryOf } from "./description";
import { boxOf } from "./geometry";
import { Refusal } from "./failure";
import { isShown } from "./geometry";
import { nextRef, resolve, startFrom } from "./refs";
import { activeElement } from "./shadow";
import { snapshotOf } from "./element_snapshot";

const GAP = 3;
const STYLE = "all: initial; position: fixed; margin: 0; padding: 0; background: none; box-sizing: border-box; pointer-events: none; z-index: 2147483647; border: 3px solid #d6336c; border-radius: 4px; box-shadow: 0 0 0 2px #fff, 0 0 12px 4px #d6336c99;";

let mark: HTMLElement | null = null;
let outlined: Element | null = null;

export function outline(request: PageRequest<"outline">): Outlined {
  startFrom(request.floor);
  const element = request.target ? resolve(request.target) : activeElement();
  if (request.target) bringIntoView(element);
  removeOutline();
  outlined = element;
  if (element === document.body || element === document.documentElement) return describeOutlined(element);
  mark = document.createElement("div");
  mark.setAttribute(BADGE_ATTRIBUTE, "");
  const { left, top, width, height } = boxOf(element);
  mark.style.cssText = `${STYLE} left: ${left - GAP}px; top: ${top - GAP}px; width: ${width + 2 * GAP}px; height: ${height + 2 * GAP}px;`;
  document.documentElement.append(mark);
  // Above a page's own dialogs, if the document can have popovers.
  if (typeof mark.showPopover === "function") {
    mark.popover = "manual";
    mark.showPopover();
  }
  return describeOutlined(element);
}

function describeOutlined(element: Element): Outlined {
  const { ref, tag, role, name } = entryOf(element);
  return { ref, tag, role, name, next: nextRef(), digest: snapshotOf(element).digest };
}

/** Called after the picture was taken. Returns what the element was then and, if it can't be seen there, why. */
export function removeOutline(): PicturedElement | null {
  const element = outlined?.isConnected ? outlined : null;
  const { digest, shown, frames } = element ? snapshotOf(element) : { digest: "", shown: null, frames: [] };
  const unseen = element ? hiddenBy(element) : undefined;
  mark?.remove();
  mark = outlined = null;
  return shown && { digest, shown, frames, ...(unseen === undefined ? {} : { unseen }) };
}

function hiddenBy(element: Element): string | undefined {
  if (element === document.body || element === document.documentElement) return undefined;
  if (!isShown(element)) return "It is not visible on the page.";
  try {
    openPoint(element);
    return undefined;
  } catch (error) {
    return error instanceof Refusal ? error.message : undefined;
  }
}
