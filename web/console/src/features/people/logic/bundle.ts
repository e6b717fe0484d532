/** Similar approvals that are answered together: exactly those that are shown. */

import type { FileChangePrompt, RequestEntry } from "@handrail/host";
import { isSettled, type Queue } from "./queue";

export interface Similar {
  request: RequestEntry;
  prompt: FileChangePrompt;
}

/** The requests that can be answered together with this one, itself first; only itself if nothing is similar. */
export function similarTo(request: RequestEntry, queue: Queue): Similar[] {
  const own = asSimilar(request);
  if (!own || request.bundle === undefined) return [];
  const others = queue.order.flatMap((id) => {
    const prompt = queue.prompts.get(id);
    const isOther = prompt && id !== request.requestId && prompt.request.bundle === request.bundle && !isSettled(prompt);
    const similar = isOther ? asSimilar(prompt.request) : null;
    return similar ? [similar] : [];
  });
  return [own, ...others];
}

function asSimilar(request: RequestEntry): Similar | null {
  const { prompt, digest } = request;
  return prompt.kind === "file_change_confirm" && digest !== undefined ? { request, prompt } : null;
}
