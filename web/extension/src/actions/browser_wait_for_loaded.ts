/** browser_wait_for_loaded: waits until the page and everything in it has loaded. */

import { define } from "../worker/action";
import { tabParam } from "../worker/element";
import { Failure } from "../worker/failure";
import { untilTab } from "../worker/navigation";
import { ownTab } from "../worker/tasks";

export const browserWaitForLoaded = define("browser_wait_for_loaded", tabParam, {
  async run({ taskId, deadline }, { tabId }) {
    const isLoaded = async (): Promise<boolean> => (await ownTab(taskId, tabId)).status === "complete";
    if (await untilTab(tabId, Math.max(0, deadline.left() - 200), isLoaded)) return { status: "complete" };
    throw new Failure("NAVIGATION_TIMEOUT", `The page was still loading after ${Math.round(deadline.ms)} ms.`);
  },
});
