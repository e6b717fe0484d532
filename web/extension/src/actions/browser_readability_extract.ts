/** browser_readability_extract: the page's article as text and Markdown; a long one by artifact. */

import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { tabParam } from "../worker/element";
import { Failure } from "../worker/failure";
import { ask, installArticle, TOP } from "../worker/page";
import { ownTab } from "../worker/tasks";

const INLINE = 256 * 1024;
const LARGEST = 2 * 1024 * 1024;

export const browserReadabilityExtract = define("browser_readability_extract", tabParam, {
  async run({ taskId, message, deadline }, { tabId }) {
    await ownTab(taskId, tabId);
    if (await ask(tabId, TOP, "isArticle", {})) await installArticle(tabId);
    const { title, text, markdown } = await deadline.within(ask(tabId, TOP, "article", {}));
    const body = new Blob([markdown], { type: "text/markdown" });
    const found = { ...(title ? { title } : {}), contentLengthBytes: body.size };
    if (body.size > LARGEST) throw new Failure("READABILITY_TOO_LARGE", `The text has ${body.size} bytes; at most ${LARGEST} are taken.`, { contentLengthBytes: body.size });
    if (body.size < INLINE) return { ...found, text, markdown, truncated: false };
    const { artifactId, url } = await upload(message.artifactPresignedUrl, message.artifactId, body, deadline);
    return { ...found, artifactId, url, truncated: true };
  },
});
