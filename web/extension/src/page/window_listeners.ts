/**
 * Window listeners that last as long as the document: `document.open()`, with which pages write windows, removes all
 * others.
 */

const registered: [type: string, listener: (event: any) => void][] = [];
let root: Element | null = null;

export function listenOnWindow<K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void): void {
  if (!registered.length) {
    root = document.documentElement;
    new MutationObserver(comeBack).observe(document, { childList: true });
  }
  registered.push([type, listener]);
  window.addEventListener(type, listener, true);
}

/** Adding a listener that is still there changes nothing. */
function comeBack(): void {
  if (document.documentElement === root) return;
  root = document.documentElement;
  for (const [type, listener] of registered) window.addEventListener(type, listener, true);
}
