/** browser_upload: puts artifacts of the server into a file input. */

import { staleIfGone } from "../worker/aiming";
import { define, type Result } from "../worker/action";
import { download } from "../worker/artifacts";
import { withChanges } from "../worker/effects";
import { elementParams, placeOf } from "../worker/element";
import { ask } from "../worker/page";
import { filled, invalid, listOf } from "../worker/shape";
import { ownTab } from "../worker/tasks";

/** A whole number of base64 groups, below the size limit of one message. */
const PART = 3 * 1024 * 1024;

export const browserUpload = define("browser_upload", { ...elementParams, artifactIds: listOf(filled) }, {
  async run(context, params): Promise<Result> {
    const { tabId, artifactIds } = params;
    const { taskId, message, deadline } = context;
    await ownTab(taskId, tabId);
    const { frameId, target } = placeOf("browser_upload", params);
    const slots = artifactIds.map((id) => {
      const slot = message.artifacts?.find((one) => one.artifactId === id);
      if (!slot) throw invalid("browser_upload", [{ field: "artifactIds", message: `names ${id}, which the message does not bring` }]);
      return slot;
    });
    for (const [at, slot] of slots.entries()) {
      const bytes = new Uint8Array(await (await download(slot.url, deadline)).arrayBuffer());
      for (let from = 0; from === 0 || from < bytes.length; from += PART) {
        await staleIfGone(ask(tabId, frameId, "acceptFile", {
          target,
          part: base64(bytes.subarray(from, from + PART)),
          name: slot.name ?? slot.artifactId,
          ...(slot.contentType ? { contentType: slot.contentType } : {}),
          isFirst: at === 0 && from === 0,
          isLast: from + PART >= bytes.length,
        }));
      }
    }
    let files: string[] = [];
    const changes = await withChanges(context, { tabId, frameId }, async () => {
      files = await staleIfGone(ask(tabId, frameId, "giveFiles", { target, ...context.expected }));
    });
    return { uploaded: true, files, ...changes };
  },
});

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
