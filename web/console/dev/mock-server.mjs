/**
 * A simulated handrail API for driving the built console without Python. `startMock()` for the tests; `node
 * dev/mock-server.mjs [port]` to look at it.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { Server } from "socket.io";
import { apps } from "./apps.mjs";
import { browsing, picture } from "./browsing.mjs";
import { chatting } from "./chatting.mjs";
import { clients } from "./clients.mjs";
import { reviews } from "./reviews.mjs";
import { permissions } from "./permissions.mjs";
import { samplePrompts, sampleRecords } from "./samples.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const built = join(here, "../../../src/handrail/faces/http/console");
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
export const TOKEN = "mock-token";
const PAGE_SECRET = "mock-page-secret";
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
  "frame-src http://127.0.0.1:* http://localhost:*; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PROJECT = "/home/you/my-webgal-game";
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

export async function startMock({ port = 0, code = "open-sesame" } = {}) {
  const state = { entries: [], records: [], sessions: new Set(), codes: new Set([code]), undone: [], evidence: new Map(), received: [], tokens: 1, others: new Set(["phone"]), projects: [{ path: PROJECT, name: "my-webgal-game", isOwn: true }] };
  const browsers = browsing();
  const ownApps = apps();
  const ownClients = clients();
  const ownReviews = reviews();
  const allowed = permissions();
  const tell = (event, data) => io.of("/mimo").emit(event, data);
  const chat = chatting({ tell, ask, record, tasks: () => browsers.state.tasks });
  const tools = JSON.parse(await readFile(join(here, "tools.json"), "utf8"));

  let http;
  let io;
  async function listenOn(wanted) {
    http = createServer((request, response) => void handle(request, response));
    io = attach();
    await new Promise((resolve) => http.listen(wanted, "127.0.0.1", resolve));
    return http.address().port;
  }
  function attach() {
    const server = new Server(http, { serveClient: false, transports: ["websocket"] });
    server.of("/mimo").use((socket, next) => (isKnown({ ...socket.handshake.headers, "x-handrail-page": socket.handshake.auth.page ?? undefined }) ? next() : next(new Error("UNAUTHORIZED"))));
    server.of("/mimo").on("connection", (socket) => {
      socket.on("frontend_message", (message, reply) => {
        const answered = chat.hear(message);
        reply?.(answered);
      });
    });
    return server;
  }
  function isKnown({ cookie = "", authorization = "", "x-handrail-page": page = "" }) {
    return authorization === `Bearer ${TOKEN}` || (state.sessions.has(sessionOf({ cookie })) && page === PAGE_SECRET);
  }
  const sessionOf = ({ cookie = "" }) => /handrail_session=([^;]+)/.exec(cookie)?.[1];
  const browser = (id, userAgent, isCurrent) => ({ id, createdAt: "2026-01-10T08:00:00.000Z", expiresAt: "2026-02-09T08:00:00.000Z", userAgent, isCurrent });
  const access = () => ({
    tokens: [{
      kind: "server", file: "/home/you/.local/state/handrail/server.json", ending: `abc${state.tokens}`,
      programs: state.tokens > 1 ? [] : [{ name: "claude-code/2.1", lastSeen: "2026-01-11T09:30:00.000Z" }, { name: "cline", lastSeen: "2026-01-10T18:00:00.000Z" }],
    }],
    agents: allowed.state.agents,
    sessions: [
      browser("this", "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", true),
      ...[...state.others].map((id) => browser(id, "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1", false)),
    ],
  });

  function append(entry) {
    const kept = { ts: new Date().toISOString(), type: "ui_prompt", ...entry, offset: state.entries.length };
    state.entries.push(kept);
    io.of("/mimo").emit("ui_prompts", { entries: [kept] });
    return kept;
  }
  function ask(prompt, extra = {}) {
    const requestId = extra.requestId ?? randomUUID();
    append({ action: "request", requestId, caller: "waiting", ...(prompt.card ? { isOwn: true } : {}), ...extra, prompt });
    return requestId;
  }
  /** Nothing is written to the log; only additional data has changed. */
  function tellAgain(requestId, more) {
    const entry = Object.assign(state.entries.find((one) => one.requestId === requestId), more);
    io.of("/mimo").emit("ui_prompts", { entries: [entry] });
  }
  function record(entry) {
    const ended = entry.event === "end" ? { outcome: entry.ok ? "done" : "failed" } : {};
    const kept = { seq: state.records.length + 1, ts: new Date().toISOString(), ...ended, ...entry };
    state.records.push(kept);
    io.of("/mimo").emit("activity", { records: [kept] });
  }
  const responses = () => new Map(state.entries.filter((entry) => entry.action === "response").map((entry) => [entry.requestId, entry]));

  function listPrompts(query) {
    const done = responses();
    const wanted = query.get("state") ?? "all";
    const before = query.get("before");
    const limit = Number(query.get("limit") ?? 100);
    const fits = state.entries.filter(
      (entry) =>
        (wanted === "all" || (wanted === "pending" ? !done.has(entry.requestId) : done.has(entry.requestId))) &&
        (before === null || entry.offset < Number(before)),
    );
    const entries = fits.slice(-limit);
    return { path: "/state/ui-prompts.jsonl", entries, ...(fits.length > entries.length ? { next: String(entries[0].offset) } : {}) };
  }
  function listRecords(query) {
    const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
    const wanted = [["task", "task"], ["execution", "executionId"], ["caller", "caller"], ["project", "project"]].filter(([name]) => query.get(name) !== null);
    const fits = state.records.filter((one) => one.seq < before && wanted.every(([name, member]) => one[member] === query.get(name)));
    const records = fits.slice(-Number(query.get("limit") ?? 100));
    return { records, ...(fits.length > records.length ? { next: records[0].seq } : {}) };
  }
  function listTasks(query) {
    const found = new Map();
    for (const one of state.records) {
      if (!one.executionId || (query.get("project") && one.project !== query.get("project"))) continue;
      const key = one.task ?? one.caller;
      const use = found.get(key) ?? { project: one.project ?? PROJECT, caller: one.caller ?? "", ...(one.task ? { task: one.task } : {}), first: one.ts, last: one.ts, calls: 0, changes: 0, failed: 0, denied: 0, unanswered: 0, unknown: 0, running: 0 };
      use.last = one.ts;
      if (one.event === "end") use.calls++, use.changes += one.ok && one.effect !== "READ" ? 1 : 0, use[one.error?.condition === "Declined" ? "denied" : "failed"] += one.ok ? 0 : 1;
      found.set(key, use);
    }
    return { tasks: [...found.values()].reverse() };
  }
  function answer(requestId, { response, runId }) {
    const request = state.entries.find((entry) => entry.action === "request" && entry.requestId === requestId);
    if (!request) return [404, "NOT_FOUND", "There is no such prompt."];
    if (responses().has(requestId)) return [409, "CONFLICT", "This prompt was answered already."];
    state.received.push({ requestId, response });
    const refused = Object.entries(response.values ?? {}).find(([, value]) => value === "refuse-me");
    if (refused) return [400, "BAD_REQUEST", "A value was refused.", { fieldErrors: [{ field: `values.${refused[0]}`, message: "The server does not like it." }] }];
    const masked = structuredClone(response);
    for (const field of request.prompt.fields ?? []) if (field.secret && masked.values) masked.values[field.key] = "******";
    append({ action: "response", requestId, ...(runId ? { runId } : {}), response: masked, answeredBy: "console:you" });
    return null;
  }

  async function handle(request, response) {
    const url = new URL(request.url, "http://localhost");
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", "content-security-policy": CSP, "cache-control": "no-store", ...headers });
      response.end(body instanceof Buffer || typeof body === "string" ? body : JSON.stringify(body));
    };
    const ok = (data, headers) => send(200, { ok: true, data }, headers);
    const fail = (status, errorCode, message, details = {}) => send(status, { ok: false, error: { code: errorCode, message, details } });
    if (!url.pathname.startsWith("/api/")) return await serveFile(url.pathname, send);
    const path = url.pathname.slice(4);
    if (request.method === "PUT") {
      chat.state.uploads.set(path, await readAll(request));
      return ok({ uploaded: true, downloadUrl: path });
    }
    const body = request.method === "POST" ? JSON.parse((await readAll(request)) || "{}") : {};

    if (path === "/session" && request.method === "POST") {
      if (!state.codes.delete(body.code)) return fail(401, "UNAUTHORIZED", "This code is not valid.");
      const id = randomUUID();
      state.sessions.add(id);
      return ok({ pageSecret: PAGE_SECRET }, { "set-cookie": `handrail_session=${id}; HttpOnly; SameSite=Strict; Path=/` });
    }
    if (!isKnown(request.headers)) return fail(401, "UNAUTHORIZED", "Open the console with handrail up.");
    if (path === "/session" && request.method === "DELETE") {
      state.sessions.delete(sessionOf(request.headers));
      return ok({});
    }
    if (path === "/session") return ok({ version: "0.2.0", project: "/home/you/my-webgal-game", lang: "en" });
    if (path === "/prompts" && request.method === "POST") return ok({ requestId: ask(body.prompt, { requestId: body.requestId ?? randomUUID(), ...(body.runId ? { runId: body.runId } : {}) }) });
    if (path === "/prompts") return ok(listPrompts(url.searchParams));
    if (path === "/prompts/responses") {
      const answers = body.items.map(({ requestId }) => ({ requestId, ok: !answer(requestId, { response: body.response }) }));
      return ok({ answers });
    }
    const responding = /^\/prompts\/([^/]+)\/response$/.exec(path);
    if (responding) {
      if (state.presence && !body.presence) return fail(403, "FORBIDDEN", "It needs proof that a person is present.", { context: { reason: "presence", command: "handrail prompts answer", window: { name: "Chromium" } } });
      await state.presence?.proven;
      const refused = answer(decodeURIComponent(responding[1]), body);
      return refused ? fail(...refused) : ok({});
    }
    if (path === "/activity") return ok(listRecords(url.searchParams));
    if (path === "/history") return ok(listTasks(url.searchParams));
    if (path === "/projects") return ok({ projects: state.projects });
    if (path.startsWith("/evidence/")) {
      const file = decodeURIComponent(path.slice("/evidence/".length));
      if (file.endsWith(".png")) return send(200, PIXEL, { "content-type": "image/png" });
      return send(200, state.evidence.get(file) ?? "{}\n", { "content-type": "text/plain; charset=utf-8" });
    }
    if (path === "/undo") {
      if (body.id && state.undone.includes(body.id)) return fail(409, "CONFLICT", "It was undone already.");
      state.undone.push(body.id ?? body);
      record({ executionId: randomUUID(), tool: "undo_write", effect: "WRITE", event: "end", ok: true, durationMs: 3, undoes: body.id });
      return ok({});
    }
    if (path === "/tools") return ok(tools);
    if (path.startsWith("/tools/")) {
      if (body.path === "../x") return fail(400, "E_DENY_PATH", "Outside the project.", { fieldErrors: [{ field: "path", message: "leads outside" }] });
      return ok({ echoed: body });
    }
    if (path.startsWith("/apps")) {
      const found = ownApps.answer(request.method, path, body);
      return found === undefined ? fail(404, "NOT_FOUND", "There is no such app.") : ok(found);
    }
    if (path === "/servers") return ok({ servers: [{ name: "github", place: "npx -y @modelcontextprotocol/server-github", tools: 26, reads: 14 }] });
    if (path.startsWith("/clients")) {
      const found = ownClients.answer(request.method, path, body);
      return found === undefined ? fail(409, "CONFLICT", "What would be written has changed since it was shown.") : ok(found);
    }
    if (path.startsWith("/reviews")) {
      const found = ownReviews.answer(request.method, path, new URL(request.url, "http://mock").searchParams, body);
      return found === undefined ? fail(409, "CONFLICT", "src/shop.ts changed since you looked at it.") : ok(found);
    }
    if (path === "/policy/file") return ok({ text: JSON.stringify({ contractVersion: "1.0.0", rules: policy.rules }, null, 2), hash: "ab".repeat(32) });
    if (path === "/policy/trust") return ok({ ...policy, trusted: (state.isTrusted = request.method === "POST") });
    if (path === "/policy/test") return ok({ decision: body.path?.startsWith("game/") ? "allow" : "ask", because: body.path?.startsWith("game/") ? "user rule r1" : "default", isDefault: !body.path?.startsWith("game/"), isCritical: false, effect: "WRITE" });
    if (path.startsWith("/policy/trusted")) return ok(allowed.trusted(request.method));
    if (path === "/policy") return ok({ ...policy, trusted: state.isTrusted ?? false });
    const preview = /^\/prompts\/([^/]+)\/grant$/.exec(path);
    if (preview) {
      const found = allowed.preview(state.entries.find((entry) => entry.requestId === decodeURIComponent(preview[1]))?.prompt, body);
      return found.problem ? fail(400, "BAD_REQUEST", found.problem, { fieldErrors: [{ field: "grant.path", message: found.problem }] }) : ok(found);
    }
    if (path.startsWith("/rules")) return ok(allowed.rules(request.method, path));
    if (path === "/access/agents") {
      const [issued, needed] = allowed.addAgent(body);
      return issued ? ok(issued) : fail(403, "FORBIDDEN", "This needs proof that a person is present.", { context: needed });
    }
    if (/^\/access\/agents\/.+\/restore$/.test(path)) allowed.restoreAgent();
    else if (path.startsWith("/access/agents/")) allowed.removeAgent(decodeURIComponent(path.split("/").at(-1)));
    if (path === "/access/token") state.tokens++;
    if (path.startsWith("/access/sessions/")) state.others.delete(path.split("/").at(-1));
    if (path.startsWith("/access")) return ok(access());
    if (path === "/doctor") return ok(doctor);
    if (path === "/webgal/game") return ok(null);
    if (path === "/webgal/stamp") return ok({ stamp: null });
    if (path === "/desktop/doctor") return ok({ healthy: true, os: "linux", session: "x11", permissions: {}, fixes: [] });
    if (path === "/artifacts/presign") {
      const artifactId = `art-${randomUUID()}`;
      chat.state.names.set(artifactId, body.name);
      return ok({ artifactId, uploadUrl: `http://127.0.0.1:1/api/artifacts/${artifactId}/upload?token=t`, downloadUrl: "", expiresAt: 0 });
    }
    const chatData = chat.answer(request.method, path, url.searchParams, body);
    if (chatData === null) return fail(404, "NOT_FOUND", "There is no such task.");
    if (chatData !== undefined) return ok(chatData);
    if (path.startsWith("/report/")) return send(200, "<!doctype html><title>report</title>", { "content-type": "text/html", "content-disposition": "attachment" });
    if (path.startsWith("/artifacts/")) return send(200, picture(1280, 800), { "content-type": "image/png" });
    const browserData = browsers.answer(request.method, path, url.searchParams, body, tell);
    if (browserData !== undefined) return ok(browserData);
    return fail(404, "NOT_FOUND", "There is nothing at this path.");
  }

  const bound = await listenOn(port);
  return {
    url: `http://127.0.0.1:${bound}`,
    state, browsers, apps: ownApps, clients: ownClients, reviews: ownReviews, allowed, chat, tell, ask, append, record, answer, tellAgain,
    newCode() {
      const fresh = randomUUID();
      state.codes.add(fresh);
      return fresh;
    },
    /** Behaves like a killed server: nothing responds until `resume`. */
    async pause() {
      io.disconnectSockets(true);
      await io.close();
      http.closeAllConnections();
    },
    resume: () => listenOn(bound),
    async stop() {
      await io.close();
      http.closeAllConnections();
    },
  };
}

async function serveFile(path, send) {
  const file = normalize(path === "/" ? "/index.html" : path);
  try {
    send(200, await readFile(join(built, file)), { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  } catch {
    send(404, { ok: false, error: { code: "NOT_FOUND", message: "There is nothing at this path." } });
  }
}

async function readAll(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const policy = {
  path: "/home/you/my-webgal-game/.handrail/policy.json", exists: true, trusted: false, contractVersion: "1.0.0", mode: "cline",
  policies: { sandboxRoot: "${projectRoot}", forbiddenDirs: [".git", "node_modules", ".env"], writeRequiresDiff: true, batchMaxLines: 2000 },
  rules: [{ tool: "write_to_file", path: "game/scene/**", decision: "allow" }, { effect: "EXECUTE", decision: "deny" }],
  defaults: { READ: "allow", WRITE: "ask", UI_CONTROL: "ask", EXECUTE: "ask", PROCESS_CONTROL: "allow", ASK: "allow" },
};
const doctor = {
  ok: false,
  checks: [
    { name: "Python", ok: true, detail: "3.11.7 at /usr/bin/python3", fix: null, required: true },
    { name: "ripgrep", ok: false, detail: "not found", fix: "make setup installs it", required: true },
    { name: "GNU diff", ok: false, detail: "not found, difflib stands in", fix: "apt install diffutils", required: false },
  ],
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await startMock({ port: Number(process.argv[2] ?? 6016) });
  sampleRecords(mock);
  mock.browsers.fill();
  mock.chat.fill();
  mock.chat.fillLong();
  for (const [prompt, extra] of samplePrompts()) mock.ask(prompt, extra);
  process.stdout.write(`${mock.url}/#code=open-sesame\n`);
}
