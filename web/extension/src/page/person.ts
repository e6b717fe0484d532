/** Tells the worker of input by hand. What the debugger sends is trusted as well: the worker knows its own. */

import type { Seen } from "../worker/own_input";
import { covers } from "./badge";
import { hear } from "./ear";

const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "NumLock", "AltGraph", "Fn"]);

function report(seen: Seen): void {
  // The page outlives a reloaded extension; nobody is listening then.
  if (chrome.runtime?.id) void chrome.runtime.sendMessage({ type: "page/input", seen }).catch(() => undefined);
}

/** Looking is not taking over: wheels and moves don't count. */
export function watchPerson(): void {
  hear((event) => {
    if (!event.isTrusted) return;
    if (event instanceof PointerEvent && event.type === "pointerdown" && !(event.target instanceof Element && covers(event.target))) {
      report({ kind: "pointer", x: event.clientX, y: event.clientY, key: "" });
    }
    if (event instanceof KeyboardEvent && !MODIFIERS.has(event.key)) report({ kind: "key", x: 0, y: 0, key: event.key });
  });
}
