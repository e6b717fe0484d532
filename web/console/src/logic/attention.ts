/**
 * Whether the person means the page by what they press. Another page can open the console under their hand, or close the
 * window that covered it, so that a key or a click that was meant for that page arrives here.
 */

/** Nobody notices a new window, reads it and answers faster. */
const NOTICE_MS = 400;

let frontSince = performance.now();
let pointerSince = Infinity;
let isByPointer = false;
let ignoredAt = -Infinity;

/** Called once, before anything can be pressed. */
export function watchAttention(): void {
  const noticeFront = (): void => void (frontSince = isInFront() ? performance.now() : Infinity);
  for (const name of ["focus", "blur", "resize", "pageshow"]) addEventListener(name, noticeFront);
  document.addEventListener("visibilitychange", noticeFront);
  document.documentElement.addEventListener("mouseenter", () => void (pointerSince = performance.now()));
  document.documentElement.addEventListener("mouseleave", () => void (pointerSince = Infinity));
  addEventListener("keydown", () => void (isByPointer = false), true);
  addEventListener("pointerdown", ({ pointerType }) => void (isByPointer = pointerType === "mouse"), true);
  noticeFront();
}

/**
 * Whether an answer counts: the page has been in front long enough, or the mouse has been over it that long, as when a
 * click brings it to the front. Each answer that comes too early starts the time again, so that fast repeated clicks or
 * keys, meant for something else, never get through. `isReady`: the question itself has been in view for long enough.
 */
export function isDeliberate(isReady: boolean): boolean {
  const now = performance.now();
  if (frontSince === Infinity && isInFront()) frontSince = now; // the browser told of it too late
  const since = isByPointer ? Math.min(frontSince, pointerSince) : frontSince;
  if (isReady && now - Math.max(since, ignoredAt) >= NOTICE_MS) return true;
  ignoredAt = now;
  return false;
}

const isInFront = (): boolean => document.hasFocus() && document.visibilityState === "visible";
