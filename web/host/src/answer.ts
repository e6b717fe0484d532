/** Asks one question and returns its answer: the building block of chained interactions (contract 5 §9). */

import type { Host, RequestPayload } from "./host.js";
import type { PromptResponse } from "./prompts.js";

/** Puts a prompt into the queue and waits, as long as the person needs, for its response. */
export async function ask(host: Host, payload: RequestPayload): Promise<PromptResponse> {
  const requestId = payload.requestId ?? crypto.randomUUID();
  return await new Promise<PromptResponse>((resolve, reject) => {
    // Listening starts before asking: an answer may come faster than the request's own reply.
    const stop = host.uiPrompts.onUpdate(({ entries }) => {
      const answer = entries.find((entry) => entry.action === "response" && entry.requestId === requestId);
      if (answer?.action !== "response") return;
      stop();
      resolve(answer.response);
    });
    host.uiPrompts.request({ ...payload, requestId }).catch((error: unknown) => {
      stop();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}
