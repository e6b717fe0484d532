/** Drags with the mouse held down, on pages that follow the pointer and pages that use the browser's drag and drop. */

import type { Point } from "../page/api";
import type { Aimed } from "./aiming";
import { onDebuggerEvent, send } from "./debuggee";
import { originCheck } from "./required_origin";
import { ownInput } from "./own_input";

const STEPS = 8;
const PAUSE_MS = 16;

const intercepted = new Map<number, Record<string, unknown>>();

export function watchDrags(): void {
  onDebuggerEvent((tabId, method, params) => {
    if (method === "Input.dragIntercepted") intercepted.set(tabId, params["data"] as Record<string, unknown>);
  });
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
const moved = (tabId: number, { x, y }: Point): Promise<unknown> => send(tabId, "Input.dispatchMouseEvent", { type: "mouseMoved", x, y, button: "left", buttons: 1 });
const dragged = (tabId: number, type: string, { x, y }: Point, data: Record<string, unknown>): Promise<unknown> => send(tabId, "Input.dispatchDragEvent", { type, x, y, data });

/** Moves through all points from the first to the last. `press` presses the mouse at the first. */
export async function drag(tabId: number, start: Aimed, points: Point[], press: () => Promise<void>): Promise<void> {
  intercepted.delete(tabId);
  const stay = originCheck(tabId);
  await send(tabId, "Input.setInterceptDrags", { enabled: true });
  try {
    ownInput.pointer(tabId, start.inFrame.x, start.inFrame.y);
    await press();
    let at = start.point;
    let data: Record<string, unknown> | undefined;
    for (const next of points) {
      for (let step = 1; step <= STEPS; step++) {
        await stay(); // a drop would bring the first page's data to another origin
        const point = { x: at.x + ((next.x - at.x) * step) / STEPS, y: at.y + ((next.y - at.y) * step) / STEPS };
        if (data) await dragged(tabId, "dragOver", point, data);
        else await moved(tabId, point);
        await pause();
        const begun = data ? undefined : intercepted.get(tabId);
        if (begun) {
          data = begun;
          await stay();
          await dragged(tabId, "dragEnter", point, data);
        }
      }
      at = next;
    }
    if (data) {
      await dragged(tabId, "dragOver", at, data);
      await stay();
      await dragged(tabId, "drop", at, data);
    }
    await send(tabId, "Input.dispatchMouseEvent", { type: "mouseReleased", ...at, button: "left", buttons: 0, clickCount: 1 });
  } finally {
    await send(tabId, "Input.setInterceptDrags", { enabled: false }).catch(() => undefined);
  }
}
