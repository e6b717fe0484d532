/** browser_screenshot: the viewport or the whole page as PNG, uploaded; our own frame is not on it. */

import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { withoutBadge } from "../worker/badge";
import { canUseDebugger, tabParam } from "../worker/element";
import { capture, captureInFront, sizeOf } from "../worker/picture";
import { fallback, flag } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserScreenshot = define({ ...tabParam, fullPage: fallback(flag, false) }, {
  name: "browser_screenshot",
  execMs: 10_000,
  isIdempotent: true,
  acts: false,
  async run(context, { tabId, fullPage }) {
    const tab = await ownTab(context.taskId, tabId);
    const { message, deadline, warnings } = context;
    const hasDebugger = await canUseDebugger(context, tabId, fullPage ? "cdp_page" : undefined);
    const { picture, area } = await withoutBadge(tabId, () => deadline.within(hasDebugger ? capture(tabId, fullPage, warnings) : captureInFront(tab)));
    const [uploaded, size] = await Promise.all([upload(message.screenshotPresignedUrl ?? message.artifactPresignedUrl, message.artifactId, picture, deadline), sizeOf(picture)]);
    return { ...uploaded, ...size, screenshotUploaded: true, ...(tab.url ? { pageUrl: tab.url } : {}), ...(area ? { area } : {}) };
  },
});
