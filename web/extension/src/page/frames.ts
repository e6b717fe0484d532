/** The frame tree as seen from inside: a child's position among its siblings, and where a parent shows it. */

import type { PageRequest, ChildFrame, FramePoint, Point } from "./api";
import { describe } from "./description";
import { noTarget } from "./failure";
import { activeElement, allRoots, containsAcross, elementAt, type Root } from "./shadow";
import { untilStill } from "./stillness";
import { SeenText } from "./seen_text";
import { readable, surroundingsOf } from "./surroundings";

/** `window.frames` and the identity of windows are accessible across origins, which is enough. */
export function ownPlace(): number {
  if (window.parent === window) return -1;
  for (let at = 0; at < window.parent.frames.length; at++) if (window.parent.frames[at] === window) return at;
  return -1;
}

type FrameElement = HTMLIFrameElement | HTMLFrameElement;

function frameElements(roots: Root[]): FrameElement[] {
  return roots.flatMap((root) => [...root.querySelectorAll<FrameElement>("iframe,frame")]);
}

export function placeOf(element: FrameElement): number {
  for (let at = 0; at < window.frames.length; at++) if (window.frames[at] === element.contentWindow) return at;
  return -1;
}

export function frameUnder({ point }: PageRequest<"frameUnder">): number | null {
  const element = point ? elementAt(point.x, point.y) : activeElement();
  return element?.matches(FRAMES) ? placeOf(element as FrameElement) : null;
}

const FRAMES = "iframe,frame,object,embed,fencedframe";

/** The frame at a point of this one, and the same point in its coordinates. */
export function innerPointAt(point: Point): { place: number; point: Point } | null {
  const element = elementAt(point.x, point.y);
  if (!element?.matches(FRAMES)) return null;
  const { x, y, scale } = contentBox(element as FrameElement);
  return { place: placeOf(element as FrameElement), point: { x: (point.x - x) / scale, y: (point.y - y) / scale } };
}

/** The content box in this frame's viewport; a transformed iframe shows its page scaled. */
function contentBox(element: FrameElement): { x: number; y: number; width: number; height: number; scale: number } {
  const outer = element.getBoundingClientRect();
  const scale = element.offsetWidth ? outer.width / element.offsetWidth : 1;
  const style = getComputedStyle(element);
  const left = (element.clientLeft + Number.parseFloat(style.paddingLeft)) * scale;
  const top = (element.clientTop + Number.parseFloat(style.paddingTop)) * scale;
  return { x: outer.x + left, y: outer.y + top, width: outer.width - 2 * left, height: outer.height - 2 * top, scale };
}

export function childFrames(roots: Root[]): ChildFrame[] {
  return frameElements(roots).map((element) => {
    const { x, y, width, height, scale } = contentBox(element);
    const isVisible = width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    return { index: placeOf(element), box: { x, y, w: width, h: height }, scale, isVisible };
  });
}

/** `window.frames` doesn't count frames in shadow trees. */
export function hasFrames(roots: Root[]): boolean {
  return window.length > 0 || roots.some((root) => root.querySelector("iframe,frame,object,embed") !== null);
}

/**
 * An iframe in a shadow tree isn't in `window.frames`: its child sends a message instead and is identified by its
 * window.
 */
function announcedFrame(nonce: string): Promise<MessageEventSource | null> {
  return new Promise((resolve) => {
    const listen = (event: MessageEvent): void => {
      if ((event.data as { handrailFrame?: string } | null)?.handrailFrame !== nonce) return;
      event.stopImmediatePropagation();
      window.removeEventListener("message", listen, true);
      clearTimeout(timer);
      resolve(event.source);
    };
    const timer = setTimeout(() => {
      window.removeEventListener("message", listen, true);
      resolve(null);
    }, 1000);
    window.addEventListener("message", listen, true);
  });
}

export function announce(nonce: string): void {
  window.parent.postMessage({ handrailFrame: nonce }, "*");
}

async function frameElement(place: number, nonce: string | undefined): Promise<FrameElement> {
  const child = place >= 0 ? window.frames[place] : nonce ? await announcedFrame(nonce) : null;
  const element = frameElements(allRoots()).find((one) => one.contentWindow === child);
  if (!child || !element) throw noTarget("The frame of this element is gone.", { stale: true, hint: "Index the page again." });
  return element;
}

/** A frame this near looks like part of the same content to a person. */
const NEAR_PIXELS = 300;

/** Frames in the same row, form or dialog, or close to the element on the screen. */
export function framesNear(element: Element, container: Element | null): number[] {
  const isPlain = element.getRootNode() === document && !document.getElementsByTagName("object").length && !document.getElementsByTagName("embed").length;
  if (isPlain && window.length === 0) return [];
  const roots = new Set<ParentNode>([document, element.getRootNode() as Document | ShadowRoot]);
  const elements = [...roots].flatMap((root) => [...root.querySelectorAll<FrameElement>("iframe,frame,object,embed")]);
  if (!elements.length) return [];
  const box = element.getBoundingClientRect();
  const isNear = (other: DOMRect): boolean =>
    other.left < box.right + NEAR_PIXELS && other.right > box.left - NEAR_PIXELS && other.top < box.bottom + NEAR_PIXELS && other.bottom > box.top - NEAR_PIXELS;
  const isSeen = (one: Element, rect: DOMRect): boolean => rect.width > 1 && rect.height > 1 && one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return elements
    .filter((one) => {
      const rect = one.getBoundingClientRect();
      return one !== element && isSeen(one, rect) && (isNear(rect) || (container !== null && containsAcross(container, one)));
    })
    .map(placeOf);
}

export async function aroundFrame({ place, nonce }: PageRequest<"aroundFrame">): Promise<string> {
  return surroundingsOf(await frameElement(place, nonce)).texts.join(" ");
}

export const frameText = (): string => readable(new SeenText().of(document.body ?? document.documentElement, LONGEST_FRAME));

const LONGEST_FRAME = 1500;

/** A child's point in this frame's coordinates, if nothing here covers it. */
export async function frameAt({ place, point, nonce, waitMs }: PageRequest<"frameAt">): Promise<FramePoint> {
  const element = await frameElement(place, nonce);
  // Scrolling inside a frame may scroll its parents a little later.
  await untilStill(element, waitMs);
  const box = contentBox(element);
  const at = { x: box.x + point.x * box.scale, y: box.y + point.y * box.scale };
  const hit = elementAt(at.x, at.y);
  if (hit !== element) {
    const over = hit ? describe(hit) : "the edge of the page";
    throw noTarget(`The frame of this element is covered by ${over}.`, { coveredBy: over });
  }
  return { point: at, place: ownPlace() };
}
