/** browser_readability_extract: the page's article as text and Markdown; a long one by artifact. */

import type { Article } from "../page/api";
import { define } from "../worker/action";
import { upload } from "../worker/artifacts";
import { tabParam } from "../worker/element";
import { Failure } from "../worker/failure";
import { ask, installArticle, TOP } from "../worker/page";
import { checkOwn } from "../worker/tasks";

const encoder = new TextEncoder();
const INLINE = 256 * 1024;
/** Of the whole message, with what JSON adds; a larger one would cost the connection. */
const LARGEST_MESSAGE = 900_000;
const LARGEST = 2 * 1024 * 1024;

export const browserReadabilityExtract = define("browser_readability_extract", tabParam, {
  isEager: true,
  async run({ taskId, message, deadline, allowed }, { tabId }) {
    checkOwn(taskId, tabId);
    const { url: pageUrl, title, text, markdown } = await deadline.within(read(tabId));
    const bytes = encoder.encode(markdown ?? text);
    const found = { ...(pageUrl ? { pageUrl } : {}), ...(title ? { title } : {}), contentLengthBytes: bytes.length };
    if (bytes.length > LARGEST) throw new Failure("READABILITY_TOO_LARGE", `The text has ${bytes.length} bytes; at most ${LARGEST} are taken.`, { contentLengthBytes: bytes.length });
    const told = { ...found, text, ...(markdown === undefined ? {} : { markdown }), truncated: false };
    if (bytes.length < INLINE && lengthOf(told) < LARGEST_MESSAGE) return told;
    await allowed;
    const { artifactId, url } = await upload(message.artifactPresignedUrl, message.artifactId, { bytes, type: "text/markdown" }, deadline);
    return { ...found, artifactId, url, truncated: true };
  },
});

/** As it is sent: only a text that may be too long is measured to the byte. */
function lengthOf(told: object): number {
  const text = JSON.stringify(told);
  return text.length * 3 < LARGEST_MESSAGE ? text.length : encoder.encode(text).length;
}

async function read(tabId: number): Promise<Article> {
  const found = await ask(tabId, TOP, "article", {});
  if (found) return found;
  await installArticle(tabId);
  return (await ask(tabId, TOP, "article", {})) ?? { url: "", text: "" };
}
