/**
 * The socket to the paired server: registers, keeps the server's view of the browser current, and reconnects forever.
 */

import { io, type Socket } from "socket.io-client";
import { FINGERPRINT, PROTOCOL, type Ack, type StateEventType } from "../protocol";
import { browserName } from "./pairing";
import { Refused } from "./refused";
import { clientId, pairing, type Pairing } from "./settings";
import { fullState } from "./snapshot";
import { wellFormed } from "./well_formed";

const ACK_MS = 10_000;
const RESYNC_MS = 100;
const REFUSED_MS = 3000;
/** The server considers a view stale after 30 s. */
const FRESH_MS = 20_000;

export type State = "unpaired" | "connecting" | "connected" | "refused";

interface Hooks {
  changed(): void;
  connected(): void;
  message(message: Record<string, unknown>): Ack;
}

declare const scheduler: { postTask(work: () => void): Promise<void> };

export class Connection {
  state: State = "unpaired";
  problem: string | null = null;
  server: string | null = null;
  private token: string | null = null;
  private socket: Socket | null = null;
  private resyncing: ReturnType<typeof setTimeout> | undefined;
  private refreshing: ReturnType<typeof setInterval> | undefined;
  private retrying: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly hooks: Hooks) {}

  /** Also called by the alarm: a worker that was killed starts again here. */
  async wake(): Promise<void> {
    const credentials = await pairing();
    if (!credentials) return this.close();
    if (this.socket && this.server === credentials.server && this.token === credentials.token) {
      if (!this.socket.connected && !this.socket.active) this.socket.connect();
      return;
    }
    this.open(credentials, await clientId());
  }

  close(): void {
    clearInterval(this.refreshing);
    clearTimeout(this.retrying);
    this.socket?.removeAllListeners();
    this.socket?.disconnect();
    this.socket = null;
    this.server = null;
    this.change("unpaired", null);
  }

  private open(credentials: Pairing, id: string): void {
    this.close();
    this.server = credentials.server;
    this.token = credentials.token;
    this.change("connecting", null);
    const socket = io(`${credentials.server}/mimo`, {
      transports: ["websocket"],
      forceNew: true,
      auth: { token: credentials.token, clientType: "plugin", clientId: id, version: chrome.runtime.getManifest().version, protocol: FINGERPRINT },
      reconnectionDelay: 300,
      reconnectionDelayMax: 1000,
      timeout: 8000,
    });
    this.socket = socket;
    socket.on("connect", () => void this.greet(credentials, id));
    socket.on("disconnect", (reason) => {
      this.change("connecting", reason);
      this.retryLater(socket);
    });
    socket.on("connect_error", (error) => {
      this.change(socket.active ? "connecting" : "refused", error.message);
      this.retryLater(socket);
    });
    socket.on("plugin_message", (message: Record<string, unknown>, ack?: (answer: Ack) => void) => {
      const answer = this.hooks.message(message);
      // After everything that can start at once has started.
      void scheduler.postTask(() => ack?.(answer));
    });
  }

  /** The server refused us, for instance because it hasn't noticed yet that our last socket is gone. */
  private retryLater(socket: Socket): void {
    clearTimeout(this.retrying);
    if (!socket.active) this.retrying = setTimeout(() => void this.wake(), REFUSED_MS);
  }

  private async greet(credentials: Pairing, id: string): Promise<void> {
    void this.register(credentials, id);
    const about = { clientId: id, ua: navigator.userAgent, version: chrome.runtime.getManifest().version, browserName: browserName(), allowOtherClient: false };
    await this.emit({ type: "activate_extension", id: `hello-${crypto.randomUUID()}`, ...about, skipAuthorization: false }).catch(() => undefined);
    await this.sync();
    this.change("connected", null);
    clearInterval(this.refreshing);
    this.refreshing = setInterval(() => void this.sync(), FRESH_MS);
    this.hooks.connected();
  }

  private async register(credentials: Pairing, id: string): Promise<void> {
    const { version, name } = chrome.runtime.getManifest();
    const about = { extensionId: chrome.runtime.id, extensionName: name, clientId: id, ua: navigator.userAgent, version, browserName: browserName() };
    await fetch(`${credentials.server}/api/extension/extension-id`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${credentials.token}`, "x-mimo-protocol": String(PROTOCOL) },
      body: JSON.stringify({ ...about, allowOtherClient: false, timestamp: Date.now() }),
      signal: AbortSignal.timeout(ACK_MS),
      credentials: "omit",
    }).catch(() => undefined);
  }

  /** Resolves once the server has accepted the message. Rejects with Refused if it never will. */
  async emit(message: Record<string, unknown>): Promise<void> {
    const socket = this.socket;
    if (!socket?.connected) throw new Error("not connected");
    const answer = (await socket.timeout(ACK_MS).emitWithAck("plugin_message", wellFormed({ v: PROTOCOL, ...message }))) as Ack | undefined;
    if (answer && !answer.ok) throw new Refused(answer.error?.message ?? "refused");
  }

  event(eventType: StateEventType, what: Record<string, unknown>): void {
    void this.emit({ type: "tab_event", eventType, ...what, timestamp: Date.now() }).catch(() => undefined);
  }

  /** Soon, and once for many changes. */
  resync(): void {
    clearTimeout(this.resyncing);
    this.resyncing = setTimeout(() => void this.sync(), RESYNC_MS);
  }

  private async sync(): Promise<void> {
    await this.emit({ type: "full_state_sync", ...(await fullState()), timestamp: Date.now() }).catch(() => undefined);
  }

  private change(state: State, problem: string | null): void {
    if (this.state === state && this.problem === problem) return;
    this.state = state;
    this.problem = problem;
    this.hooks.changed();
  }
}
