/**
 * A window that an app has opened (`?panel=…`): it reports that it is open, and comes to the front or closes when the
 * app asks.
 */

import { HostError, postJson } from "@handrail/host";
import { openPanel } from "./panel";

const RETRY_MS = 1000;
const panel = new URLSearchParams(location.search).get("panel");

export async function followWindowCommands(): Promise<void> {
  while (panel !== null) {
    try {
      const { order } = await postJson<{ order: "focus" | "close" | null }>("/api/prompts/panel/orders", { panel });
      if (order === "close") {
        close();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS)); // only a window that stayed open continues
      } else if (order === "focus") {
        openPanel();
        focus();
      }
    } catch (error) {
      if (error instanceof HostError && error.status >= 400 && error.status < 500) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
