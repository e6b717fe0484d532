/** Whether a window of the extension may take a yes: another page may have put it under the person's hand. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const RESTARTING = ["focus", "blur", "resize"];
const PRESSING = ["keydown", "pointerdown"];

/**
 * True once the window has been focused for this long. The time starts again whenever it loses the focus, and with each
 * key and click that comes too early: those were meant for what was here before. `about` is what is asked about.
 */
export function useArmed(readingMs: number, about = ""): boolean {
  const isArmed = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restart = (): void => {
      clearTimeout(timer);
      isArmed.value = false;
      if (document.hasFocus() && document.visibilityState === "visible") timer = setTimeout(() => (isArmed.value = true), readingMs);
    };
    const pressed = (): void => {
      if (!isArmed.value) restart();
    };
    restart();
    for (const name of RESTARTING) addEventListener(name, restart);
    for (const name of PRESSING) addEventListener(name, pressed, true);
    document.addEventListener("visibilitychange", restart);
    return () => {
      clearTimeout(timer);
      for (const name of RESTARTING) removeEventListener(name, restart);
      for (const name of PRESSING) removeEventListener(name, pressed, true);
      document.removeEventListener("visibilitychange", restart);
    };
  }, [about]);
  return isArmed.value;
}
