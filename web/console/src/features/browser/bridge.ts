/** Talks to the extension's content script in this very page: whether it is there, and to pair it with our server. */

/** What the extension says of itself. */
export interface Found {
  ok: boolean;
  extensionId?: string;
  version?: string;
  clientId?: string;
  socketConnected?: boolean;
}

export interface Paired {
  ok: boolean;
  /** It asks its person first, in a window of its own. */
  pending?: boolean;
  error?: string;
  clientId?: string;
}

const PROBE = "mimo/get_plugin_client_info";
const PAIR = "mimo/pair";
const PROBE_MS = 1500;
const PAIR_MS = 20_000;

/** Null where no extension answers. */
export const probe = (): Promise<Found | null> => ask<Found>({ type: PROBE }, PROBE_MS);

/** To be called from a click: the extension takes it from a person alone. */
export const pair = (code: string, server: string): Promise<Paired | null> => ask<Paired>({ type: PAIR, code, server }, PAIR_MS);

function ask<Payload>(message: { type: string; code?: string; server?: string }, patienceMs: number): Promise<Payload | null> {
  const requestId = crypto.randomUUID();
  return new Promise((resolve) => {
    const hear = (event: MessageEvent): void => {
      const data = event.data as { type?: unknown; requestId?: unknown; payload?: Payload } | null;
      if (event.source !== window || event.origin !== location.origin) return;
      if (data?.type !== `${message.type}_result` || data.requestId !== requestId) return;
      end(data.payload ?? null);
    };
    const end = (payload: Payload | null): void => {
      clearTimeout(timer);
      removeEventListener("message", hear);
      resolve(payload);
    };
    const timer = setTimeout(() => end(null), patienceMs);
    addEventListener("message", hear);
    postMessage({ ...message, requestId }, location.origin);
  });
}
