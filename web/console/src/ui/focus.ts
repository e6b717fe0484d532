import type { TargetedKeyboardEvent } from "preact";

/** Up and down arrows move the focus among the elements that `selector` finds inside the listening one. */
export function focusBeside(event: TargetedKeyboardEvent<HTMLElement>, selector: string): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const found = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)].filter((one) => !one.matches(":disabled"));
  const at = found.findIndex((one) => one === document.activeElement);
  const next = found[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

/** As a ref: what has just appeared gets the focus. `autofocus` works only once for a document. */
export const focusOnce = (element: HTMLElement | null): void => element?.focus();
