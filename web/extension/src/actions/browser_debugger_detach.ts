/** browser_debugger_detach: detaches the debugger from a tab, which also removes Chrome's bar. */

import { define } from "../worker/action";
import { detach } from "../worker/debuggee";
import { tabParam } from "../worker/element";
import { ownTab } from "../worker/tasks";

export const browserDebuggerDetach = define("browser_debugger_detach", tabParam, {
  async run({ taskId }, { tabId }) {
    await ownTab(taskId, tabId);
    await detach(tabId);
    return { detached: true };
  },
});
