/** browser_console: what the page wrote to its console, newest last. */

import { define } from "../worker/action";
import { canUseDebugger, tabParam } from "../worker/element";
import { logOf } from "../worker/observation";
import { fallback, whole } from "../worker/shape";

export const browserConsole = define("browser_console", { ...tabParam, limit: fallback(whole(1, 200), 50) }, {
  async run(context, { tabId, limit }) {
    // Attaching also delivers messages from before.
    await canUseDebugger(context, tabId, "cdp_log");
    const { console, consoleTotal } = logOf(tabId);
    return { messages: console.slice(-limit), total: consoleTotal };
  },
});
