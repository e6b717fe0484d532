/** Signing in and out, and staying connected: after every connect, the truth is read again. */

import { deleteAt, fetchData, HostError, postJson } from "@handrail/host";
import { follow, reloadBrowsers } from "../browser/actions";
import { foldRecords, type AuditRecord } from "../logic/calls";
import { calls, connection, isPanelOpen, page, session, type Session } from "../store";
import { readPage } from "./address";
import { reloadCalls } from "./calls";
import { openLine, theLine } from "./line";
import { closePanel, openPanel } from "./panel";
import { reloadPrompts, takeIn } from "./prompts";

/** A one-time code in the fragment never reaches a server's log; it leaves the address bar at once. A page may follow it. */
export async function start(): Promise<void> {
  addEventListener("hashchange", () => void arrive());
  await arrive();
  if (session.value === "unknown") await resume();
}

/** Also where a page that is open already is led to another address. */
async function arrive(): Promise<void> {
  const [, code, place] = /^#code=([^/]+)(\/.+)?$/.exec(location.hash) ?? [];
  if (code) {
    history.replaceState(null, "", `${location.pathname}${place ? `#${place}` : ""}`);
    await signIn(decodeURIComponent(code)).catch(() => undefined);
  }
  readPage();
}

async function resume(): Promise<void> {
  try {
    const [known, isChatty] = await Promise.all([fetchData<Session>("/api/session"), location.hash === "" && comesToTalk()]);
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

/** Who has a model connected comes to talk, and who is here for the first time to see what is needed; everybody else to look. */
async function comesToTalk(): Promise<boolean> {
  const [{ current, models }, { records }] = await Promise.all([
    fetchData<Models>("/api/agent/models").catch((): Models => ({ current: "", models: [] })),
    fetchData<{ records: unknown[] }>("/api/activity?limit=1").catch(() => ({ records: [null] })),
  ]);
  const hasModel = current !== "" && models.find(({ name }) => name === current)?.hasKey !== false;
  return hasModel || records.length === 0;
}

export async function signIn(code: string): Promise<void> {
  await postJson<unknown>("/api/session", { code });
  await resume();
}

function listen(): void {
  if (theLine()) return;
  const { line: socket, host } = openLine({ open: openPanel, close: closePanel, toggle: () => (isPanelOpen.value ? closePanel() : openPanel()) });
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
  sessionStorage.clear();
  startAfresh();
}

/** The truth after every connect: what is pending, what was answered, what was done, what is open. */
async function reload(): Promise<void> {
  await Promise.allSettled([reloadPrompts(), reloadCalls(), reloadBrowsers()]);
}
