/** Signing in and out, and staying connected: after every connect, the truth is read again. */

import { deleteAt, fetchData, forgetPageSecret, HostError, keepPageSecret, postJson } from "@handrail/host";
import type { PageName } from "../features";
import { connection, page, session, type Session } from "../store";
import { readPage } from "./address";
import { breath } from "./breath";
import { installed, pages, serve } from "./installed";
import { fetchSocket, openLine, theLine, type PanelControl } from "./line";
import { reloadProjects } from "./projects";

const NO_PANEL: PanelControl = { open: () => undefined, close: () => undefined, toggle: () => undefined };

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
    const [known, first] = await Promise.all([fetchData<Session>("/api/session"), location.hash === "" ? firstPage() : null, fetchSocket()]);
    serve(known.features);
    if (first && pages().some(({ name }) => name === first)) page.value = first;
    await breath();
    await listen();
    await breath();
    session.value = known;
    await breath();
    // Without a socket (a proxy that blocks it) the console still shows what there is.
    if (connection.value !== "online") void reload();
  } catch (error) {
    if (error instanceof HostError && error.code === "OFFLINE") {
      connection.value = "offline";
      setTimeout(() => void resume(), 1500);
    } else {
      session.value = "signedOut";
    }
  }
}

/** The first that a feature wants to be seen. */
async function firstPage(): Promise<PageName | null> {
  const wanted = await Promise.all(installed().map((feature) => feature.firstPage?.()));
  return wanted.find((name) => name) ?? null;
}

export async function signIn(code: string): Promise<void> {
  const { pageSecret } = await postJson<{ pageSecret?: string }>("/api/session", { code });
  keepPageSecret(pageSecret);
  await resume();
}

async function listen(): Promise<void> {
  if (theLine()) return;
  const { line: socket, host } = await openLine(installed().find((feature) => feature.panel)?.panel ?? NO_PANEL);
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
  for (const feature of installed()) feature.listen?.(socket, host);
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
  forgetPageSecret();
  sessionStorage.clear();
  startAfresh();
}

/** The truth after every connect: what is pending, what was answered, what was done, what is open. */
async function reload(): Promise<void> {
  const reading: Promise<unknown>[] = [];
  for (const read of [reloadProjects, ...installed().map((feature) => feature.reload)]) {
    reading.push(Promise.resolve(read?.()).catch(() => undefined));
    await breath();
  }
  await Promise.all(reading);
}
