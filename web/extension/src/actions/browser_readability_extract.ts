/** browser_readability_extract: returns the page's article as text and Markdown; a long one as an artifact. */

import type { Article } from "../page/api";
import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { tabParam } from "../worker/element";
import { Failure } from "../worker/failure";
import { ask, installArticle, TOP } from "../worker/page";
import { checkOwn } from "../worker/tasks";

const encoder = new TextEncoder();
const INLINE = 256 * 1024;
/** Size of the whole message including what JSON adds; a larger one would break the connection. */
const LARGEST_MESSAGE = 900_000;
const LARGEST = 2 * 1024 * 1024;

export const browserReadabilityExtract = define("browser_readability_extract", tabParam, {
  isEager: true,
  async run({ taskId, message, deadline, allowed }, { tabId }) {
    checkOwn(taskId, tabId);
    const { url: pageUrl, title, text, markdown } = await deadline.within(read(tabId));
    const bytes = encoder.encode(markdown ?? text);
    const head = { ...(pageUrl ? { pageUrl } : {}), ...(title ? { title } : {}), contentLengthBytes: bytes.length };
    if (bytes.length > LARGEST) throw new Failure("READABILITY_TOO_LARGE", `The text has ${bytes.length} bytes; at most ${LARGEST} are taken.`, { contentLengthBytes: bytes.length });
    const inline = { ...head, text, ...(markdown === undefined ? {} : { markdown }), truncated: false };
    if (bytes.length < INLINE && lengthOf(inline) < LARGEST_MESSAGE) return inline;
    await allowed;
    const { artifactId, url } = await upload(message.artifactPresignedUrl, message.artifactId, { bytes, type: "text/markdown" }, deadline);
    return { ...head, artifactId, url, truncated: true };
  },
});

/** Length as it is sent. Only a text that may be too long is measured in bytes. */
function lengthOf(result: object): number {
  const text = JSON.stringify(result);
  return text.length * 3 < LARGEST_MESSAGE ? text.length : encoder.encode(text).length;
}

async function read(tabId: number): Promise<Article> {
  const article = await ask(tabId, TOP, "article", {});
  if (article) return article;
  await installArticle(tabId);
  return (await ask(tabId, TOP, "article", {})) ?? { url: "", text: "" };
}
