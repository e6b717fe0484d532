/** Decides whether a key belongs to the page, to a field or to a dialog. */

/** True while a modal dialog is open: no key may reach what is behind it, wherever the focus is. */
export const isCovered = (): boolean => document.querySelector("dialog:modal") !== null;

/** True while a key belongs to a field or to a shortcut of the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
