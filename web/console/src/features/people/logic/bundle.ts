/** Similar approvals, answered together: exactly those that are shown. */

import type { FileChangePrompt, RequestEntry } from "@handrail/host";
import { isSettled, type Queue } from "./queue";

export interface Similar {
  request: RequestEntry;
  prompt: FileChangePrompt;
}

/** What can be answered together with this request, itself first; only itself where there is nothing similar. */
export function similarTo(request: RequestEntry, queue: Queue): Similar[] {
  const own = asSimilar(request);
  if (!own || request.bundle === undefined) return [];
  const others = queue.order.flatMap((id) => {
    const asked = queue.asked.get(id);
    const isOther = asked && id !== request.requestId && asked.request.bundle === request.bundle && !isSettled(asked);
    const similar = isOther ? asSimilar(asked.request) : null;
    return similar ? [similar] : [];
  });
  return [own, ...others];
}

function asSimilar(request: RequestEntry): Similar | null {
  const { prompt, digest } = request;
  return prompt.kind === "file_change_confirm" && digest !== undefined ? { request, prompt } : null;
}
