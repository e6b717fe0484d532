/** browser_requests: lists the page's failed requests, newest last. */

import { define } from "../worker/action";
import { canUseDebugger, tabParam } from "../worker/element";
import { logOf } from "../worker/observation";
import { fallback, whole } from "../worker/shape";

export const browserRequests = define("browser_requests", { ...tabParam, limit: fallback(whole(1, 200), 50) }, {
  async run(context, { tabId, limit }) {
    await canUseDebugger(context, tabId, "cdp_log");
    const { requests, requestsTotal } = logOf(tabId);
    return { requests: requests.slice(-limit), total: requestsTotal };
  },
});
