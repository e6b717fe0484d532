/** `host.uiPrompts` of contract 5 §2, over any transport. */

import type { Prompt, PromptEntry, PromptResponse } from "./prompts.js";

export interface PromptsPayload {
  path: string;
  entries: PromptEntry[];
}

export interface RequestPayload {
  requestId?: string;
  runId?: string;
  prompt: Prompt;
}

export interface RespondPayload {
  requestId: string;
  runId?: string;
  response: PromptResponse;
  /**
   * A passkey's signature for this answer (`PublicKeyCredential.toJSON()`), if handrail wants proof that a person is
   * present.
   */
  presence?: object;
}

export interface UiPrompts {
  read(): Promise<PromptsPayload>;
  /**
   * Calls the listener with everything that `read` returns whenever something was added. Returns a function that stops
   * it.
   */
  onUpdate(listener: (payload: PromptsPayload) => void): () => void;
  request(payload: RequestPayload): Promise<{ ok: true; requestId: string }>;
  respond(payload: RespondPayload): Promise<{ ok: true }>;
  open(): void | Promise<void>;
  close(): void | Promise<void>;
  toggle(): void | Promise<void>;
}

export interface Host {
  uiPrompts: UiPrompts;
}

/** The panel in which a person answers: the console's own, or a window with the console in it. */
export interface PromptPanel {
  open(): void | Promise<void>;
  close(): void | Promise<void>;
  toggle(): void | Promise<void>;
}

/** Carries prompts to handrail and back. */
export interface PromptTransport {
  read(): Promise<PromptsPayload>;
  onUpdate(listener: (payload: PromptsPayload) => void): () => void;
  request(payload: RequestPayload): Promise<{ requestId: string }>;
  respond(payload: RespondPayload): Promise<void>;
}

export interface HostOptions {
  pluginId: string;
  appId: string;
  transport: PromptTransport;
  panel: PromptPanel;
}

export function createHost({ pluginId, appId, transport, panel }: HostOptions): Host {
  return {
    uiPrompts: {
      read: () => transport.read(),
      onUpdate: (listener) => transport.onUpdate(listener),
      async request(payload) {
        const prompt = payload.prompt.source ? payload.prompt : { ...payload.prompt, source: `${pluginId}:${appId}` };
        const { requestId } = await transport.request({ ...payload, prompt });
        return { ok: true, requestId };
      },
      async respond(payload) {
        await transport.respond(payload);
        return { ok: true };
      },
      open: () => panel.open(),
      close: () => panel.close(),
      toggle: () => panel.toggle(),
    },
  };
}
