/** The transport to handrail's own server: HTTP for requests, Socket.IO for events. */

import { io, type Socket } from "socket.io-client";
import { fetchData, HostError, postJson } from "./envelope.js";
import { pageSecret } from "./page-secret.js";
import type { PromptTransport, PromptsPayload, RequestPayload, RespondPayload } from "./host.js";
import type { Prompt, PromptEntry, PromptResponse } from "./prompts.js";

export interface ServerAddress {
  /** Where `handrail up` listens, such as `http://127.0.0.1:6006`; "" for the page's own origin. */
  address?: string;
  /** An agent's token, or the one in `<stateDir>/server.json`. Not needed if a proxy adds it. */
  token?: string;
}

export interface ServerOptions extends ServerAddress {
  socket: Socket;
}

interface Answered {
  requestId: string;
  response: PromptResponse;
}

const PAGE = 500;
const RETRY_MS = 1000;
/** How long an answer with secrets is held back for them: they come over another way than the log's news. */
const SECRETS_MS = 3000;

/** One connection for everything that a page wants to hear; reconnects by itself, without end. */
export function connect({ address = "", token }: ServerAddress = {}): Socket {
  const credentials = (): object => (token !== undefined ? { token } : address === "" ? { page: pageSecret() } : {});
  return io(`${address}/mimo`, {
    auth: (join: (given: object) => void) => join({ clientType: "frontend", ...credentials() }),
    transports: ["websocket"],
    withCredentials: true,
    reconnectionDelay: 300,
    reconnectionDelayMax: 3000,
  });
}

export function authorized(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

export function serverTransport({ address = "", token, socket }: ServerOptions): PromptTransport {
  const headers = authorized(token);
  const prompts = `${address}/api/prompts`;
  const listeners = new Set<(payload: PromptsPayload) => void>();
  const waiter = new Waiter(`${prompts}/answers`, headers, () => publish());
  let path = "";
  let known = new Map<number, PromptEntry>();
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    const found = new Map<number, PromptEntry>();
    let before: number | null | undefined;
    do {
      const query = before ? `&before=${before}` : "";
      const page = await fetchData<PromptsPayload & { next?: number | null }>(`${prompts}?state=all&limit=${PAGE}${query}`, { headers });
      for (const entry of page.entries) found.set(entry.offset ?? 0, entry);
      path = page.path;
      before = page.next;
    } while (before);
    known = found;
  }

  /** Everything in the log, in order. A response stays out until its secrets have arrived. */
  function payload(): PromptsPayload {
    const inOrder = [...known].sort(([one], [other]) => one - other);
    return { path, entries: inOrder.flatMap(([, entry]) => waiter.filled(entry) ?? []) };
  }

  function publish(): void {
    if (listeners.size === 0) return;
    const told = payload();
    for (const listener of listeners) listener(told);
  }

  function reload(): Promise<void> {
    loading = load().finally(() => {
      loading = null;
    });
    return loading;
  }

  const onEntries = async ({ entries }: { entries: PromptEntry[] }): Promise<void> => {
    await loading?.catch(() => undefined);
    for (const entry of entries) known.set(entry.offset ?? 0, entry);
    publish();
  };
  // What was appended while the line was down is only in the log: read it, so that nobody waits for lost news.
  const onConnect = (): void => void reload().then(publish, () => undefined);

  return {
    async read() {
      await reload();
      return payload();
    },
    onUpdate(listener) {
      if (listeners.size === 0) {
        socket.on("ui_prompts", onEntries);
        socket.on("connect", onConnect);
        if (socket.connected) onConnect();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        socket.off("ui_prompts", onEntries);
        socket.off("connect", onConnect);
      };
    },
    async request(given: RequestPayload) {
      const requestId = given.requestId || crypto.randomUUID();
      waiter.expect(requestId, given.prompt);
      try {
        return await postJson<{ requestId: string }>(prompts, { ...given, requestId, waiter: waiter.name }, headers);
      } catch (error) {
        waiter.giveUp(requestId);
        throw error;
      }
    },
    async respond({ requestId, ...rest }: RespondPayload) {
      const body = waiter.isExpecting(requestId) ? { ...rest, waiter: waiter.name } : rest;
      await postJson<unknown>(`${prompts}/${encodeURIComponent(requestId)}/response`, body, headers);
    },
  };
}

/** Registers this page as waiting: people see that a program waits, and only this page receives the secrets. */
class Waiter {
  readonly name = crypto.randomUUID();
  /** What this page has asked; true where the answer has secrets, which the log masks. */
  readonly #expected = new Map<string, boolean>();
  readonly #answers = new Map<string, PromptResponse>();
  readonly #late = new Map<string, ReturnType<typeof setTimeout>>();
  #received: string[] = [];
  #isPolling = false;

  constructor(
    private readonly address: string,
    private readonly headers: Record<string, string>,
    private readonly changed: () => void,
  ) {}

  expect(requestId: string, prompt: Prompt): void {
    this.#expected.set(requestId, prompt.kind === "kv" && prompt.fields.some(({ secret }) => secret === true));
    void this.#poll();
  }

  isExpecting(requestId: string): boolean {
    return this.#expected.has(requestId);
  }

  giveUp(requestId: string): void {
    this.#expected.delete(requestId);
  }

  /** The entry with its secrets; null until they have arrived. */
  filled(entry: PromptEntry): PromptEntry | null {
    if (entry.action !== "response") return entry;
    const { requestId } = entry;
    const response = this.#answers.get(requestId);
    if (response) return { ...entry, response };
    if (this.#expected.get(requestId) !== true || entry.response.status !== "ok") return entry;
    if (!this.#late.has(requestId)) this.#late.set(requestId, setTimeout(() => this.#letGo(requestId), SECRETS_MS));
    return null;
  }

  /** A masked answer is better than none. */
  #letGo(requestId: string): void {
    this.#expected.delete(requestId);
    this.changed();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while ([...this.#expected.keys()].some((requestId) => !this.#answers.has(requestId))) {
      try {
        const { answers } = await postJson<{ answers: Answered[] }>(this.address, { waiter: this.name, received: this.#received }, this.headers);
        this.#received = answers.map(({ requestId }) => requestId);
        for (const { requestId, response } of answers) this.#take(requestId, response);
        if (answers.length > 0) this.changed();
      } catch (error) {
        if (error instanceof HostError && error.status >= 400 && error.status < 500) break;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#isPolling = false;
  }

  #take(requestId: string, response: PromptResponse): void {
    this.#answers.set(requestId, response);
    clearTimeout(this.#late.get(requestId));
  }
}
