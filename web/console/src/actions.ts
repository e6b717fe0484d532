/** What happens: signing in, reading, answering. The only writer of the store. */

import {
  connect, createHost, deleteAt, fetchData, HostError, postJson, serverTransport,
  type Host, type PromptEntry, type PromptResponse, type RequestEntry,
} from "@handrail/host";
import { batch } from "@preact/signals";
import { follow, reloadBrowsers } from "./browser/actions";
import { foldRecords, type AuditRecord, type Call } from "./logic/calls";
import { markTooLate, moveOn, receive, replacePending, show, step } from "./logic/queue";
import { visible } from "./logic/visible";
import { notify } from "./notice";
import {
  announcement, areCallsLoaded, calls, connection, filmed, isPanelOpen, olderCalls, olderPrompts, page, PAGES, queue, session, subject, texts,
  type Access, type Doctor, type Page, type Policy, type Session, type Tool,
} from "./store";

interface PromptPage {
  entries: PromptEntry[];
  next?: string | number | null;
}

interface ActivityPage {
  records: AuditRecord[];
  next?: string | number | null;
}

const PAGE = 200;
let host: Host | null = null;
let line: ReturnType<typeof connect> | null = null;
let isHistoryRead = false;

const token = (next: string | number | null | undefined): string | undefined =>
  next === undefined || next === null ? undefined : String(next);

/** A one-time code in the fragment never reaches a server's log; it leaves the address bar at once. A page may follow it. */
export async function start(): Promise<void> {
  const [, code, place] = /^#code=([^/]+)(\/.+)?$/.exec(location.hash) ?? [];
  if (code) {
    history.replaceState(null, "", `${location.pathname}${place ? `#${place}` : ""}`);
    await signIn(decodeURIComponent(code)).catch(() => undefined);
  }
  readPage();
  addEventListener("hashchange", readPage);
  if (session.value === "unknown") await resume();
}

async function resume(): Promise<void> {
  try {
    const [known, isChatty] = await Promise.all([fetchData<Session>("/api/session"), location.hash === "" && hasModel()]);
    // Who has a model connected comes to talk; everybody else to look.
    if (isChatty) page.value = "chat";
    session.value = known;
    listen();
  } catch (error) {
    if (error instanceof HostError && error.code === "OFFLINE") {
      connection.value = "offline";
      setTimeout(() => void resume(), 1500);
    } else {
      session.value = "signedOut";
    }
  }
}

interface Models {
  models: { name: string; hasKey: boolean }[];
  current: string;
}

async function hasModel(): Promise<boolean> {
  const { current, models } = await fetchData<Models>("/api/agent/models").catch(() => ({ current: "", models: [] }));
  return current !== "" && models.find(({ name }) => name === current)?.hasKey !== false;
}

export async function signIn(code: string): Promise<void> {
  await postJson<unknown>("/api/session", { code });
  await resume();
}

function readPage(): void {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  if (name === "prompts" && !location.hash.startsWith("#/")) isPanelOpen.value = true;
  const known = PAGES.find((candidate) => candidate === name);
  if (!known) return;
  batch(() => {
    page.value = known;
    subject.value = decoded(rest.join("/"));
  });
}

/** An address that somebody has mutilated shows the page all the same. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

export function goTo(target: Page, part = ""): void {
  location.hash = part ? `/${target}/${encodeURIComponent(part)}` : `/${target}`;
}

function listen(): void {
  if (host) return;
  const socket = connect();
  line = socket;
  const panel = { open: openPanel, close: closePanel, toggle: () => (isPanelOpen.value ? closePanel() : openPanel()) };
  host = createHost({ pluginId: "handrail", appId: "console", transport: serverTransport({ socket }), panel });
  socket.on("connect", () => {
    connection.value = "online";
    void reload();
  });
  socket.on("disconnect", () => {
    connection.value = "offline";
    // A server that closed the line itself is not called again by socket.io.
    if (!socket.active) setTimeout(() => socket.connect(), 1000);
  });
  socket.on("connect_error", () => {
    connection.value = "offline";
    if (!socket.active) setTimeout(() => void reenter(() => socket.connect()), 2000);
  });
  socket.on("activity", ({ records }: { records: AuditRecord[] }) => {
    calls.value = foldRecords(calls.value, records);
  });
  follow(socket);
  host.uiPrompts.onUpdate(({ entries }) => takeIn(entries));
  // Without a socket (a proxy that blocks it) the console still shows what there is.
  void reload();
}

/** For pages that are fetched when they are opened, and want to hear and to say something then. */
export const theLine = (): ReturnType<typeof connect> | null => line;

/** A refused connection may mean that the session has ended. */
async function reenter(again: () => void): Promise<void> {
  try {
    await fetchData<Session>("/api/session");
    again();
  } catch (error) {
    if (error instanceof HostError && error.status === 401) startAfresh();
    else setTimeout(() => void reenter(again), 2000);
  }
}

/** Who was sent away keeps nothing in memory of what they saw. */
function startAfresh(): void {
  location.reload();
}

export async function signOut(): Promise<void> {
  await deleteAt<unknown>("/api/session");
  startAfresh();
}

/** The truth after every connect: what is pending, what was answered, what was done, what is open. */
async function reload(): Promise<void> {
  await Promise.allSettled([reloadPrompts(), reloadCalls(), reloadBrowsers()]);
}

async function reloadPrompts(): Promise<void> {
  const knownBefore = queue.value.order;
  const [answered, pending] = await Promise.all([
    fetchData<PromptPage>(`/api/prompts?state=answered&limit=${PAGE}`),
    allPending(),
  ]);
  queue.value = receive(queue.value, answered.entries);
  if (!isHistoryRead) olderPrompts.value = token(answered.next);
  isHistoryRead = true;
  announceNew(pending);
  queue.value = replacePending(queue.value, pending, knownBefore);
}

async function allPending(): Promise<RequestEntry[]> {
  const found: RequestEntry[] = [];
  let before: string | undefined;
  do {
    const part: PromptPage = await fetchData(`/api/prompts?state=pending&limit=${PAGE}${before ? `&before=${encodeURIComponent(before)}` : ""}`);
    found.push(...part.entries.filter((entry) => entry.action === "request"));
    before = token(part.next);
  } while (before);
  return found.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

function takeIn(entries: readonly PromptEntry[]): void {
  const answeredIds = new Set(entries.filter((entry) => entry.action === "response").map((entry) => entry.requestId));
  announceNew(entries.filter((entry) => entry.action === "request" && !answeredIds.has(entry.requestId)) as RequestEntry[]);
  queue.value = receive(queue.value, entries);
}

/** A prompt rises by itself and never takes the focus: what a person types elsewhere stays there. */
function announceNew(requests: readonly RequestEntry[]): void {
  for (const entry of requests) {
    if (queue.value.asked.has(entry.requestId)) continue;
    const title = titleOf(entry);
    announcement.value = texts.value.arrived(title);
    // In its own task's conversation it stands in place.
    if (!isTalkedAbout(entry)) isPanelOpen.value = true;
    notify(title, entry, () => showPrompt(entry.requestId));
  }
}

const isTalkedAbout = ({ runId }: RequestEntry): boolean => page.value === "chat" && runId !== undefined && runId === subject.value;

export function titleOf(entry: RequestEntry): string {
  const { title, kind } = entry.prompt;
  return visible(title || (texts.value.kinds[kind] ?? texts.value.unknownKind));
}

export async function loadOlderPrompts(): Promise<void> {
  if (!olderPrompts.value) return;
  const part = await fetchData<PromptPage>(`/api/prompts?state=answered&limit=${PAGE}&before=${encodeURIComponent(olderPrompts.value)}`);
  queue.value = receive(queue.value, part.entries);
  olderPrompts.value = token(part.next);
}

async function reloadCalls(): Promise<void> {
  const isFirst = !areCallsLoaded.value;
  const part = await fetchData<ActivityPage>(`/api/activity?limit=${PAGE}`);
  calls.value = foldRecords(calls.value, part.records);
  if (isFirst) olderCalls.value = token(part.next);
  areCallsLoaded.value = true;
}

/** The calls of one task, or one call, of any age; they are kept by who asked for them. */
export async function readCalls(of: { task: string } | { execution: string }): Promise<readonly Call[]> {
  let found: readonly Call[] = [];
  let before: string | undefined;
  do {
    const query = new URLSearchParams({ limit: "500", ...of, ...(before === undefined ? {} : { before }) });
    const part = await fetchData<ActivityPage>(`/api/activity?${query}`);
    found = foldRecords(found, part.records);
    before = token(part.next);
  } while (before !== undefined);
  return found;
}

export async function loadOlderCalls(): Promise<void> {
  if (!olderCalls.value) return;
  const part = await fetchData<ActivityPage>(`/api/activity?limit=${PAGE}&before=${encodeURIComponent(olderCalls.value)}`);
  calls.value = foldRecords(calls.value, part.records);
  olderCalls.value = token(part.next);
}

/** The answer carries the requestId that was shown, so it can't reach another question. */
export async function respond(request: RequestEntry, response: PromptResponse): Promise<void> {
  if (!host) throw new HostError("OFFLINE", texts.value.connection.offline, 0);
  const { requestId, runId } = request;
  try {
    await host.uiPrompts.respond({ requestId, ...(runId === undefined ? {} : { runId }), response });
  } catch (error) {
    const isSettledElsewhere = error instanceof HostError && (error.status === 409 || error.status === 404);
    if (!isSettledElsewhere) throw error;
    queue.value = markTooLate(queue.value, requestId);
    announcement.value = texts.value.tooLate;
    await reloadPrompts();
    return;
  }
  announcement.value = texts.value.sent;
  queue.value = moveOn(
    receive(queue.value, [{ ts: new Date().toISOString(), type: "ui_prompt", action: "response", requestId, response: withoutSecrets(request, response) }]),
  );
  if (queue.value.shown === null) closePanel();
}

/** As the log holds it: secrets went to the waiter alone. */
function withoutSecrets({ prompt }: RequestEntry, response: PromptResponse): PromptResponse {
  if (prompt.kind !== "kv" || !response.values) return response;
  const values = { ...response.values };
  for (const field of prompt.fields) if (field.secret && field.key in values) values[field.key] = "******";
  return { ...response, values };
}

/** A task's calls, one after the other; null closes it. */
export function showFilm(task: string | null): void {
  filmed.value = task;
}

export function openPanel(): void {
  isPanelOpen.value = true;
}

export function closePanel(): void {
  isPanelOpen.value = false;
}

export function showPrompt(requestId: string): void {
  queue.value = show(queue.value, requestId);
  openPanel();
}

export function stepPrompt(by: 1 | -1): void {
  queue.value = step(queue.value, by);
}

export function leaveSettled(): void {
  queue.value = moveOn(queue.value);
  if (queue.value.shown === null) closePanel();
}

export async function undo(executionId: string): Promise<void> {
  await postJson<unknown>("/api/undo", { id: executionId });
  await reloadCalls();
  announcement.value = texts.value.undone;
}

export const readTools = async (): Promise<Tool[]> => (await fetchData<{ tools: Tool[] }>("/api/tools")).tools;
export const callTool = (name: string, params: unknown): Promise<unknown> => postJson(`/api/tools/${encodeURIComponent(name)}`, params);
export const readPolicy = (): Promise<Policy> => fetchData<Policy>("/api/policy");
export const readAccess = (): Promise<Access> => fetchData<Access>("/api/access");
export const renewToken = (): Promise<Access> => postJson<Access>("/api/access/token", {});
export const endSession = (id: string): Promise<Access> => deleteAt<Access>(`/api/access/sessions/${encodeURIComponent(id)}`);
export const readDoctor = (): Promise<Doctor> => fetchData<Doctor>("/api/doctor");

/** Evidence comes as it lies on disk, without an envelope. */
export async function readEvidence(url: string): Promise<string> {
  const answer = await fetch(url, { credentials: "same-origin" });
  if (!answer.ok) throw new HostError("NOT_FOUND", `${answer.status}`, answer.status);
  return await answer.text();
}
