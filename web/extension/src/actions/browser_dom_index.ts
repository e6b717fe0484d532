/**
 * browser_dom_index: lists the elements that can be acted on, those in view first, in pages; elements keep their
 * numbers.
 */

import { define, type Result } from "../worker/action";
import { tabParam } from "../worker/element";
import { indexAlone, indexTab, type PageIndex } from "../worker/indexing";
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
    const options = { scope, most, boxes, attribute: assignAttr, xpaths: false };
    const toResult = ({ entries, total, url, title, viewport }: PageIndex): Result => ({
      elements: entries.slice(offset, most), total, url, title, ...(boxes ? { viewport } : {}), ...(most < total ? { nextOffset: most } : {}),
    });
    const alone = await indexAlone(tabId, options);
    return alone ? { ...toResult(alone), pageUrl: alone.url } : toResult(await indexTab(tabId, options, warnings));
  },
});
