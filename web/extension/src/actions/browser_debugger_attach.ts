/** browser_debugger_attach: attaches the debugger to a tab; other actions do so automatically. */

import { define } from "../worker/action";
import { canUseDebugger, tabParam } from "../worker/element";

export const browserDebuggerAttach = define("browser_debugger_attach", tabParam, {
  async run(context, { tabId }) {
    await canUseDebugger(context, tabId, "cdp_attach");
    return { attached: true };
  },
});
