/** handrail's own server as the transport: HTTP for what must be answered, Socket.IO for news. */

import { io, type Socket } from "socket.io-client";
import { fetchData, postJson } from "./envelope";
import { pageSecret } from "./page-secret";
import type { PromptTransport, PromptsPayload, RequestPayload, RespondPayload } from "./host";
import type { PromptEntry } from "./prompts";

export interface ServerOptions {
  /** "" for the page's own origin. */
  address?: string;
  socket: Socket;
}

/** One connection for everything that a page wants to hear; reconnects by itself, for ever. */
export function connect(address = ""): Socket {
  return io(`${address}/mimo`, {
    auth: (join: (given: object) => void) => join({ clientType: "frontend", ...(address === "" ? { page: pageSecret() } : {}) }),
    transports: ["websocket"],
    withCredentials: true,
    reconnectionDelay: 300,
    reconnectionDelayMax: 3000,
  });
}

export function serverTransport({ address = "", socket }: ServerOptions): PromptTransport {
  let path = "";

  async function read(): Promise<PromptsPayload> {
    const payload = await fetchData<PromptsPayload>(`${address}/api/prompts?state=all&limit=100`);
    path = payload.path;
    return payload;
  }

  return {
    read,
    onUpdate(listener) {
      const onEntries = ({ entries }: { entries: PromptEntry[] }): void => listener({ path, entries });
      // What was appended while the line was down is only in the log: read it, so that nobody waits for lost news.
      const onConnect = (): void => void read().then(listener, () => undefined);
      socket.on("ui_prompts", onEntries);
      socket.on("connect", onConnect);
      return () => {
        socket.off("ui_prompts", onEntries);
        socket.off("connect", onConnect);
      };
    },
    request: (payload: RequestPayload) => postJson<{ requestId: string }>(`${address}/api/prompts`, payload),
    async respond({ requestId, ...rest }: RespondPayload) {
      await postJson<unknown>(`${address}/api/prompts/${encodeURIComponent(requestId)}/response`, rest);
    },
  };
}
