/** Talks to the extension's content script in this page: asks whether it is there, and pairs it with our server. */

/** What the extension reports about itself. */
export interface ExtensionInfo {
  ok: boolean;
  extensionId?: string;
  version?: string;
  clientId?: string;
  socketConnected?: boolean;
}

export interface PairResult {
  ok: boolean;
  /** It first asks the person in a window of its own. */
  pending?: boolean;
  error?: string;
  clientId?: string;
}

const PROBE = "mimo/get_plugin_client_info";
const PAIR = "mimo/pair";
const PROBE_MS = 1500;
const PAIR_MS = 20_000;

/** Null if no extension answers. */
export const probe = (): Promise<ExtensionInfo | null> => ask<ExtensionInfo>({ type: PROBE }, PROBE_MS);

/** Must be called from a click, because the extension accepts it only from a person. */
export const pair = (code: string, server: string): Promise<PairResult | null> => ask<PairResult>({ type: PAIR, code, server }, PAIR_MS);

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
