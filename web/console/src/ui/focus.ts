import type { TargetedKeyboardEvent } from "preact";

/** Up and down arrows move the focus among the elements inside the listening one that match `selector`. */
export function focusBeside(event: TargetedKeyboardEvent<HTMLElement>, selector: string): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const candidates = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)].filter((one) => !one.matches(":disabled"));
  const at = candidates.findIndex((one) => one === document.activeElement);
  const next = candidates[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

/** As a ref: gives the focus to an element that has just appeared. `autofocus` works only once per document. */
export const focusOnce = (element: HTMLElement | null): void => element?.focus();
