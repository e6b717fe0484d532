/** browser_get_html: returns the HTML of the page or of one element as an artifact. */

import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { tabParam } from "../worker/element";
import { ask, TOP } from "../worker/page";
import { filled, optional } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserGetHtml = define("browser_get_html", { ...tabParam, xpath: optional(filled) }, {
  async run({ taskId, message, deadline }, { tabId, xpath }) {
    await ownTab(taskId, tabId);
    const html = await deadline.within(ask(tabId, TOP, "html", xpath === undefined ? {} : { xpath }));
    return { ...(await upload(message.artifactPresignedUrl, message.artifactId, { bytes: new TextEncoder().encode(html), type: "text/html" }, deadline)) };
  },
});
