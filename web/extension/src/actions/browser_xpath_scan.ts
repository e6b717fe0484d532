/** browser_xpath_scan: lists the same elements by XPath, except those in shadow trees, which have none. */

import { define } from "../worker/action";
import { tabParam } from "../worker/element";
import { indexTab } from "../worker/indexing";
import { fallback, oneOf, whole } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserXpathScan = define("browser_xpath_scan", { ...tabParam, scope: fallback(oneOf("viewport", "document"), "document"), limit: fallback(whole(1, 5000), 500) }, {
  async run({ taskId, warnings }, { tabId, scope, limit }) {
    await ownTab(taskId, tabId);
    const { entries, total } = await indexTab(tabId, { scope, most: limit, boxes: true, attribute: false, xpaths: true }, warnings);
    const elements = entries
      // An XPath is evaluated in the top document; elements of frames are named by their clickId.
      .filter((entry) => "xpath" in entry && !String(entry["clickId"]).includes(":"))
      .map(({ xpath, tag, text, clickId, bbox }) => ({ xpath, tag, ...(text ? { text } : {}), clickId, ...(bbox ? { bbox } : {}) }));
    return { elements, total };
  },
});
