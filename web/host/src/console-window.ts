/**
 * The panel for apps outside the console: one window, however often it is opened. The browser isolates the window from
 * this page (Cross-Origin-Opener-Policy), so handrail relays messages between them.
 */

import { postJson } from "./envelope.js";
import type { PromptPanel } from "./host.js";
import { authorized, type ServerAddress } from "./server.js";

type Action = "focus" | "close" | "toggle";

export interface ConsoleWindowOptions extends ServerAddress {
  /** Where the person's browser finds the console, if not at `address`. */
  consoleAddress?: string;
}

/** A window that was just opened has not said so yet. */
const LOADING_MS = 10_000;

export function consoleWindow({ address = "", token, consoleAddress = address }: ConsoleWindowOptions): PromptPanel {
  const panel = crypto.randomUUID();
  let loadingUntil = 0;

  /** Whether it was open; also false if handrail doesn't respond. */
  async function ask(action: Action): Promise<boolean> {
    try {
      const { isOpen } = await postJson<{ isOpen: boolean }>(`${address}/api/prompts/panel`, { panel, action }, authorized(token));
      if (isOpen) loadingUntil = 0;
      return isOpen;
    } catch {
      return false;
    }
  }

  function show(): void {
    if (Date.now() < loadingUntil) return;
    loadingUntil = Date.now() + LOADING_MS;
    window.open(`${consoleAddress}/?panel=${panel}#prompts`, "_blank", "width=520,height=760");
  }

  return {
    async open() {
      if (!(await ask("focus"))) show();
    },
    async close() {
      await ask("close");
      loadingUntil = 0;
    },
    async toggle() {
      if (!(await ask("toggle"))) show();
    },
  };
}
