/** When a key belongs to what is on the screen, and when to a field or a dialog. */

/** True while a dialog lies over everything: no key reaches what is behind it, wherever the focus is. */
export const isCovered = (): boolean => document.querySelector("dialog:modal") !== null;

/** True while a key belongs to a field or to a shortcut of the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
