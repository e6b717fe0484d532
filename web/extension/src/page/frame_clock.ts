/**
 * Waits for the page's next frame. Hidden pages draw none and have slow timers, so the worker keeps the time for them.
 */

const FRAME_MS = 17;
/** A visible page that draws nothing, for example behind another window, must not block the wait. */
const LONGEST_FRAME_MS = 250;

export function nextFrame(): Promise<void> {
  if (document.visibilityState === "hidden") return pause(FRAME_MS);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_FRAME_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export async function twoFrames(): Promise<void> {
  await nextFrame();
  await nextFrame();
}

export async function pause(ms: number): Promise<void> {
  await chrome.runtime.sendMessage({ type: "page/pause", ms });
}
