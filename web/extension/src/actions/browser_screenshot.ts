/** browser_screenshot: uploads the viewport or the whole page as PNG; a given element is outlined and described. */

import { define, type Result } from "../worker/action";
import { upload } from "../worker/artifacts";
import { withoutBadge } from "../worker/badge";
import { canUseDebugger, elementParams, hasElement, placeOf, pointTargetOf } from "../worker/element";
import { Failure, failureOf } from "../worker/failure";
import { withOutline } from "../worker/outline";
import { extrasOfQuestion, extrasDigest, pointOf } from "../worker/extra_checks";
import { TOP } from "../worker/page";
import { capture, captureInFront, type Screenshot, sizeOf } from "../worker/picture";
import { digestAt } from "../worker/expected_view";
import { fallback, filled, flag, oneOf, optional } from "../worker/shape";
import { ownTab } from "../worker/tasks";

export const browserScreenshot = define("browser_screenshot", { ...elementParams, fullPage: fallback(flag, false), asking: optional(oneOf("element", "focus")), point: optional(filled), also: optional(filled) }, {
  isEager: true,
  async run(context, params): Promise<Result> {
    const { tabId, fullPage, asking } = params;
    const { taskId, message, deadline, warnings, allowed } = context;
    const hasDebugger = await canUseDebugger(context, tabId, fullPage ? "cdp_page" : undefined);
    const place = hasElement(params) ? placeOf("browser_screenshot", params) : params.point ? await pointTargetOf("browser_screenshot", { tabId, ...pointOf(params.point) }) : asking === "focus" ? { frameId: TOP } : undefined;
    const capturePage = (): Promise<Screenshot> => deadline.within(hasDebugger ? capture(tabId, fullPage, warnings) : ownTab(taskId, tabId).then(captureInFront));
    // A person who is asked can decide without a picture, and is told that there is none.
    const shoot = (): Promise<Screenshot | Failure> => (asking ? capturePage().catch(failureOf) : capturePage());
    const { done, digest, beyond, ...told } = await withoutBadge(tabId, () => withOutline(tabId, place, shoot));
    const more = asking && hasDebugger ? await extrasDigest(tabId, await extrasOfQuestion(tabId, params)) : undefined;
    const seeing = digestAt(tabId, digest, beyond, more).then((seen) => ({ ...told, ...(seen ? { seen } : {}) }));
    if (done instanceof Failure) return { ...(await seeing), unseen: `No picture could be taken: ${done.message}` };
    const { picture, area } = done;
    await allowed;
    const [uploaded, known] = await Promise.all([upload(message.screenshotPresignedUrl ?? message.artifactPresignedUrl, message.artifactId, picture, deadline), seeing]);
    return { ...uploaded, ...sizeOf(picture), screenshotUploaded: true, ...(area ? { area } : {}), ...known };
  },
});
