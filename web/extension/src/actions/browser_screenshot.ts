/** browser_screenshot: the viewport or the whole page as PNG, uploaded; with an element, that one is outlined and told. */

import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { withoutBadge } from "../worker/badge";
import { canUseDebugger, elementParams, hasElement, placeOf } from "../worker/element";
import { withOutline } from "../worker/outline";
import { capture, captureInFront, sizeOf } from "../worker/picture";
import { seenAt } from "../worker/seen";
import { fallback, flag } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserScreenshot = define("browser_screenshot", { ...elementParams, fullPage: fallback(flag, false) }, {
  async run(context, params) {
    const { tabId, fullPage } = params;
    const tab = await ownTab(context.taskId, tabId);
    const { message, deadline, warnings } = context;
    const hasDebugger = await canUseDebugger(context, tabId, fullPage ? "cdp_page" : undefined);
    const place = hasElement(params) ? placeOf("browser_screenshot", params) : undefined;
    const shoot = () => deadline.within(hasDebugger ? capture(tabId, fullPage, warnings) : captureInFront(tab));
    const { done: { picture, area }, target } = await withoutBadge(tabId, () => withOutline(tabId, place, shoot));
    const [uploaded, size] = await Promise.all([upload(message.screenshotPresignedUrl ?? message.artifactPresignedUrl, message.artifactId, picture, deadline), sizeOf(picture)]);
    const seen = await seenAt(tabId, target);
    return { ...uploaded, ...size, screenshotUploaded: true, ...(area ? { area } : {}), ...(target ? { target } : {}), ...(seen ? { seen } : {}) };
  },
});
