/** The panel for apps outside the console: a named window, so that `open` twice gives one window. */

import type { PromptPanel } from "./host";

export function consoleWindow(address: string): PromptPanel {
  let shown: Window | null = null;
  const isOpen = (): boolean => shown !== null && !shown.closed;

  function open(): void {
    shown = window.open(`${address}/#prompts`, "handrail-console", "width=520,height=760");
  }

  function close(): void {
    shown?.close();
    shown = null;
  }

  return { open, close, toggle: () => (isOpen() ? close() : open()) };
}
