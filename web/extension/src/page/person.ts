/** Tells the worker of input by hand. What the debugger sends is trusted as well: the worker knows its own. */

import type { Seen } from "../worker/own_input";
import { covers } from "./badge";

const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "NumLock", "AltGraph", "Fn"]);

function report(seen: Seen): void {
  // The page outlives a reloaded extension; nobody is listening then.
  if (chrome.runtime?.id) void chrome.runtime.sendMessage({ type: "page/input", seen }).catch(() => undefined);
}

/** Looking is not taking over: wheels and moves don't count. */
export function watchPerson(): void {
  window.addEventListener(
    "pointerdown",
    (event) => {
      if (!event.isTrusted || (event.target instanceof Element && covers(event.target))) return;
      report({ kind: "pointer", x: event.clientX, y: event.clientY, key: "" });
    },
    true,
  );
  window.addEventListener(
    "keydown",
    (event) => {
      if (!event.isTrusted || MODIFIERS.has(event.key)) return;
      report({ kind: "key", x: 0, y: 0, key: event.key });
    },
    true,
  );
}
