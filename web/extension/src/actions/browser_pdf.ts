/** browser_pdf: returns the page as a PDF, as Chrome prints it. */

import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { send } from "../worker/debuggee";
import { canUseDebugger, tabParam } from "../worker/element";
import { decoded } from "../worker/picture";

export const browserPdf = define("browser_pdf", tabParam, {
  async run(context, { tabId }) {
    const { message, deadline } = context;
    await canUseDebugger(context, tabId, "cdp_page");
    const { data } = await deadline.within(send<{ data: string }>(tabId, "Page.printToPDF", { printBackground: true, preferCSSPageSize: true }));
    return { ...(await upload(message.artifactPresignedUrl, message.artifactId, { bytes: await decoded(data), type: "application/pdf" }, deadline)) };
  },
});
