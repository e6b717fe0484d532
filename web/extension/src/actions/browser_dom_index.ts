/** browser_dom_index: what can be acted on, in view first, a page of it at a time; numbers stay with their elements. */

import { define, type Result } from "../worker/action";
import { tabParam } from "../worker/element";
import { indexAlone, indexTab, type Whole } from "../worker/indexing";
import { fallback, flag, oneOf, whole } from "../worker/shape";
import { checkOwn } from "../worker/tasks";

export const browserDomIndex = define("browser_dom_index", {
  ...tabParam,
  scope: fallback(oneOf("viewport", "document"), "document"),
  assignAttr: fallback(flag, false),
  offset: fallback(whole(0), 0),
  limit: fallback(whole(1, 5000), 200),
  boxes: fallback(flag, false),
}, {
  isEager: true,
  async run({ taskId, warnings }, { tabId, scope, assignAttr, offset, limit, boxes }) {
    checkOwn(taskId, tabId);
    const most = offset + limit;
    const wanted = { scope, most, boxes, attribute: assignAttr, xpaths: false };
    const told = ({ entries, total, url, title, viewport }: Whole): Result => ({
      elements: entries.slice(offset, most), total, url, title, ...(boxes ? { viewport } : {}), ...(most < total ? { nextOffset: most } : {}),
    });
    const alone = await indexAlone(tabId, wanted);
    return alone ? { ...told(alone), pageUrl: alone.url } : told(await indexTab(tabId, wanted, warnings));
  },
});
