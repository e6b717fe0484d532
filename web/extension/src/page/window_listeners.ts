/** Listeners of the window that last as long as the document: `document.open()`, with which pages write windows, takes all others away. */

const kept: [type: string, listener: (event: any) => void][] = [];
let root: Element | null = null;

export function listenOnWindow<K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void): void {
  if (!kept.length) {
    root = document.documentElement;
    new MutationObserver(comeBack).observe(document, { childList: true });
  }
  kept.push([type, listener]);
  window.addEventListener(type, listener, true);
}

/** Adding a listener that is still there changes nothing. */
function comeBack(): void {
  if (document.documentElement === root) return;
  root = document.documentElement;
  for (const [type, listener] of kept) window.addEventListener(type, listener, true);
}
