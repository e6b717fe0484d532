/** A server that implements only the contract, to test the extension against. */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, type Socket } from "socket.io";
import type { Ack, ActionResult, ArtifactSlot } from "../src/protocol";

type Message = Record<string, any>;

/** With a code in its address the page asks without a click, which a real console never does. */
const CONSOLE = `<!doctype html><title>console</title><button id=pair>Pair this browser</button><script>
  addEventListener("message", (event) => { if (event.data.type === "mimo/pair_result") document.title = JSON.stringify(event.data.payload); });
  if (location.hash) postMessage({ type: "mimo/pair", requestId: 1, code: location.hash.slice(1), server: location.origin }, "*");
</script>`;
export interface Stored { body: Buffer; contentType: string }

/** Waits for something that was or will be received, never for a fixed time. */
class Received {
  readonly all: Message[] = [];
  private waiting: { matches: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];

  add(message: Message): void {
    this.all.push(message);
    for (const one of this.waiting.filter(({ matches }) => matches(message))) one.resolve(message);
    this.waiting = this.waiting.filter(({ matches }) => !matches(message));
  }

  async first(matches: (message: Message) => boolean, from = 0): Promise<Message> {
    return this.all.slice(from).find(matches) ?? (await this.next(matches));
  }

  async next(matches: (message: Message) => boolean): Promise<Message> {
    return await new Promise((resolve) => this.waiting.push({ matches, resolve }));
  }
}

export class PeerServer {
  readonly received = new Received();
  readonly registered: Message[] = [];
  readonly artifacts = new Map<string, Stored>();
  readonly codes = new Set<string>();
  readonly tokens = new Map<string, string>();
  refusesUploads = false;
  /** Messages of this type are not acknowledged, as by a busy server. */
  unheard = "";
  port = 0;
  /** How often a plugin has disconnected. */
  losses = 0;
  private http: ReturnType<typeof createServer> | null = null;
  private io: Server | null = null;
  private sockets = new Set<Socket>();
  private connections: (() => void)[] = [];

  /** Sent to every plugin that tries to connect. */
  refusal: string | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    this.http = createServer((request, response) => void this.route(request, response));
    this.io = new Server(this.http, { transports: ["websocket"], serveClient: false, cors: { origin: true }, pingInterval: 20_000, maxHttpBufferSize: 1_000_000 });
    const space = this.io.of("/mimo");
    space.use((socket, next) => {
      const { token, clientType, clientId } = socket.handshake.auth as Message;
      if (this.refusal) return next(new Error(this.refusal));
      next(clientType === "plugin" && this.tokens.get(clientId) === token ? undefined : new Error("UNAUTHORIZED"));
    });
    space.on("connection", (socket) => this.welcome(socket));
    await new Promise<void>((resolve) => this.http!.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.http.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    const closing = this.io?.close();
    this.http?.closeAllConnections();
    await closing;
    this.sockets.clear();
  }

  newCode(): string {
    const code = randomUUID().slice(0, 8);
    this.codes.add(code);
    return code;
  }

  get isConnected(): boolean {
    return this.sockets.size > 0;
  }

  /** Resolves when a plugin has connected and sent its whole state. */
  async connected(): Promise<void> {
    const from = this.received.all.length;
    if (!this.isConnected) await new Promise<void>((resolve) => this.connections.push(resolve));
    await this.received.first((message) => message["type"] === "full_state_sync", this.isConnected ? 0 : from);
  }

  private welcome(socket: Socket): void {
    this.sockets.add(socket);
    socket.on("disconnect", () => {
      this.losses += 1;
      this.sockets.delete(socket);
    });
    socket.on("plugin_message", (message: Message, ack?: (answer: Ack) => void) => {
      if (message["type"] !== this.unheard) ack?.({ ok: true });
      this.received.add(message);
    });
    for (const resolve of this.connections.splice(0)) resolve();
  }

  async send(message: Message): Promise<Ack> {
    const [socket] = this.sockets;
    return (await socket!.timeout(5000).emitWithAck("plugin_message", message)) as Ack;
  }

  /** Runs one browser_action and returns its result. */
  async act(taskId: string, action: Message, extra: Message = {}): Promise<ActionResult> {
    const id = (extra["id"] as string | undefined) ?? `act-${randomUUID()}`;
    const slots = { screenshotPresignedUrl: this.slot().url, artifactPresignedUrl: this.slot().url };
    const result = this.received.next((message) => message["type"] === "browser_action_result" && message["actionId"] === id);
    const ack = await this.send({ v: 1, type: "browser_action", id, taskId, timestamp: Date.now(), action, ...slots, ...extra });
    if (!ack.ok) throw new Error(`not acked: ${JSON.stringify(ack)}`);
    return (await result) as unknown as ActionResult;
  }

  slot(): { artifactId: string; url: string } {
    const artifactId = `art-${randomUUID()}`;
    return { artifactId, url: `${this.url}/api/artifacts/${artifactId}/upload?token=t` };
  }

  put(name: string, body: Buffer, contentType: string): ArtifactSlot {
    const artifactId = `art-${randomUUID()}`;
    this.artifacts.set(artifactId, { body, contentType });
    return { artifactId, url: `${this.url}/api/artifacts/${artifactId}`, name, contentType };
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.url);
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json", "access-control-allow-origin": request.headers.origin ?? "*", "access-control-allow-headers": "*" });
      response.end(JSON.stringify(body));
    };
    const done = (data: unknown): void => answer(200, { ok: true, data });
    if (request.method === "OPTIONS") return answer(204, {});
    if (pathname === "/health") return answer(200, { name: "handrail", version: "0" });
    if (pathname === "/api/extension/pair") return this.pair(JSON.parse((await bodyOf(request)).toString()) as Message, request, answer);
    if (pathname === "/api/extension/extension-id") {
      this.registered.push({ ...(JSON.parse((await bodyOf(request)).toString()) as Message), authorization: request.headers.authorization });
      return done({ registered: true });
    }
    const upload = /^\/api\/artifacts\/([^/]+)\/upload$/.exec(pathname);
    if (upload && request.method === "PUT") {
      const body = await bodyOf(request);
      if (this.refusesUploads) return answer(500, { ok: false, error: { code: "INTERNAL", message: "no" } });
      this.artifacts.set(upload[1]!, { body, contentType: request.headers["content-type"] ?? "" });
      return done({ uploaded: true, downloadUrl: `${this.url}/api/artifacts/${upload[1]}` });
    }
    const found = this.artifacts.get(/^\/api\/artifacts\/([^/]+)$/.exec(pathname)?.[1] ?? "");
    if (found) return void response.writeHead(200, { "content-type": found.contentType }).end(found.body);
    if (pathname === "/") return void response.writeHead(200, { "content-type": "text/html" }).end(CONSOLE);
    answer(404, { ok: false, error: { code: "NOT_FOUND", message: pathname } });
  }

  private pair({ code, clientId }: Message, request: IncomingMessage, answer: (status: number, body: unknown) => void): void {
    const isOurs = request.headers.origin?.startsWith("chrome-extension://") ?? false;
    if (!isOurs || !this.codes.delete(code as string)) return answer(403, { ok: false, error: { code: "FORBIDDEN", message: "wrong code" } });
    const token = randomUUID();
    this.tokens.set(clientId as string, token);
    answer(200, { ok: true, data: { token } });
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
