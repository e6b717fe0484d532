/** Reports a person's input to the worker. The debugger's input is trusted as well; the worker recognises its own. */

import type { ObservedInput } from "../worker/own_input";
import { covers } from "./badge";
import { addEarlyListener } from "./early_events";

const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "NumLock", "AltGraph", "Fn"]);

function report(seen: ObservedInput): void {
  // The page outlives a reloaded extension, whose worker no longer listens.
  if (chrome.runtime?.id) void chrome.runtime.sendMessage({ type: "page/input", seen }).catch(() => undefined);
}

/** Looking isn't taking over: scrolling and moving the mouse don't count. */
export function watchPerson(): void {
  addEarlyListener((event) => {
    if (!event.isTrusted) return;
    if (event instanceof PointerEvent && event.type === "pointerdown" && !(event.target instanceof Element && covers(event.target))) {
      report({ kind: "pointer", x: event.clientX, y: event.clientY, key: "" });
    }
    if (event instanceof KeyboardEvent && !MODIFIERS.has(event.key)) report({ kind: "key", x: 0, y: 0, key: event.key });
  });
}
