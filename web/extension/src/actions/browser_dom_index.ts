/** browser_dom_index: what can be acted on, in view first, a page of it at a time; numbers stay with their elements. */

import { define } from "../worker/action";
import { tabParam } from "../worker/element";
import { indexTab } from "../worker/indexing";
import { fallback, flag, oneOf, whole } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserDomIndex = define({
  ...tabParam,
  scope: fallback(oneOf("viewport", "document"), "document"),
  assignAttr: fallback(flag, false),
  offset: fallback(whole(0), 0),
  limit: fallback(whole(1, 5000), 200),
  boxes: fallback(flag, false),
}, {
  name: "browser_dom_index",
  execMs: 10_000,
  isIdempotent: true,
  acts: false,
  async run({ taskId, warnings }, { tabId, scope, assignAttr, offset, limit, boxes }) {
    await ownTab(taskId, tabId);
    const most = offset + limit;
    const { entries, total, url, title, viewport } = await indexTab(tabId, { scope, most, boxes, attribute: assignAttr, xpaths: false }, warnings);
    return { elements: entries.slice(offset, most), total, url, title, ...(boxes ? { viewport } : {}), ...(most < total ? { nextOffset: most } : {}) };
  },
});
