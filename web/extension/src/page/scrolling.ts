/** Scrolls the page or a part of it, and reports the new position. */

import type { PageRequest, Scrolled } from "./api";
import { nextFrame } from "./frame_clock";
import { scrollParent } from "./geometry";
import { resolve } from "./refs";
import { checkShown } from "./element_snapshot";

const SHARE = 0.8;

export async function scroll(request: PageRequest<"scroll">): Promise<Scrolled> {
  const element = request.target ? resolve(request.target) : null;
  if (element) checkShown(element, request.expected);
  if (element && !request.direction) {
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    await nextFrame();
    return standing(scrollParent(element), "down");
  }
  const direction = request.direction ?? "down";
  const area = element ? ownScroller(element) : mainScroller();
  const isSideways = direction === "left" || direction === "right";
  const amount = request.amount ?? Math.round((isSideways ? area.clientWidth : area.clientHeight) * SHARE);
  const by = direction === "up" || direction === "left" ? -amount : amount;
  area.scrollBy({ left: isSideways ? by : 0, top: isSideways ? 0 : by, behavior: "instant" });
  await nextFrame();
  return standing(area, direction);
}

const canScroll = (element: Element): boolean => element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;

function ownScroller(element: Element): Element {
  return canScroll(element) && /auto|scroll/.test(getComputedStyle(element).overflow) ? element : scrollParent(element);
}

/** Many applications keep the document fixed and scroll one large part of it. */
function mainScroller(): Element {
  const page = document.scrollingElement ?? document.documentElement;
  if (canScroll(page) && getComputedStyle(document.documentElement).overflowY !== "hidden") return page;
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  return middle ? ownScroller(middle) : page;
}

function standing(area: Element, direction: string): Scrolled {
  const atEnd = {
    up: area.scrollTop <= 0,
    left: area.scrollLeft <= 0,
    down: area.scrollTop + area.clientHeight >= area.scrollHeight - 1,
    right: area.scrollLeft + area.clientWidth >= area.scrollWidth - 1,
  }[direction]!;
  return { x: Math.round(area.scrollLeft), y: Math.round(area.scrollTop), atEnd };
}
