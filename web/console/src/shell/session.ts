/** Signs in and out, and stays connected: after every connect, the current state is loaded. */

import { deleteAt, fetchData, forgetPageSecret, HostError, keepPageSecret, postJson } from "@handrail/host";
import type { PageName } from "../features";
import { connection, page, session, type Session } from "../store";
import { readPage } from "./address";
import { yieldToBrowser } from "./yielding";
import { installed, pages, serve } from "./installed";
import { fetchSocket, openLine, currentLine, type PanelControl } from "./line";
import { reloadProjects } from "./projects";

const NO_PANEL: PanelControl = { open: () => undefined, close: () => undefined, toggle: () => undefined };

/**
 * A one-time code in the fragment never reaches a server's log; it is removed from the address bar at once. A page may
 * follow it.
 */
export async function start(): Promise<void> {
  addEventListener("hashchange", () => void handleAddress());
  await handleAddress();
  if (session.value === "unknown") await resume();
}

/** Also called if an open page is taken to another address. */
async function handleAddress(): Promise<void> {
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
    await yieldToBrowser();
    await listen();
    await yieldToBrowser();
    session.value = known;
    await yieldToBrowser();
    // Without a socket (blocked by a proxy, for example), the console still shows what there is.
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

/** The first page that a feature asks for. */
async function firstPage(): Promise<PageName | null> {
  const requested = await Promise.all(installed().map((feature) => feature.firstPage?.()));
  return requested.find((name) => name) ?? null;
}

export async function signIn(code: string): Promise<void> {
  const { pageSecret } = await postJson<{ pageSecret?: string }>("/api/session", { code });
  keepPageSecret(pageSecret);
  await resume();
}

async function listen(): Promise<void> {
  if (currentLine()) return;
  const { line: socket, host } = await openLine(installed().find((feature) => feature.panel)?.panel ?? NO_PANEL);
  socket.on("connect", () => {
    connection.value = "online";
    void reload();
  });
  socket.on("disconnect", () => {
    connection.value = "offline";
    // socket.io doesn't reconnect to a server that closed the connection itself.
    if (!socket.active) setTimeout(() => socket.connect(), 1000);
  });
  socket.on("connect_error", () => {
    connection.value = "offline";
    if (!socket.active) setTimeout(() => void checkSession(() => socket.connect()), 2000);
  });
  for (const feature of installed()) feature.listen?.(socket, host);
}

/** A refused connection may mean that the session has ended. */
async function checkSession(again: () => void): Promise<void> {
  try {
    await fetchData<Session>("/api/session");
    again();
  } catch (error) {
    if (error instanceof HostError && error.status === 401) reloadPage();
    else setTimeout(() => void checkSession(again), 2000);
  }
}

/** After signing out, nothing of what was shown stays in memory. */
function reloadPage(): void {
  location.reload();
}

export async function signOut(): Promise<void> {
  await deleteAt<unknown>("/api/session");
  forgetPageSecret();
  sessionStorage.clear();
  reloadPage();
}

/** The state after every connect: what is pending, what was answered, what was done, what is open. */
async function reload(): Promise<void> {
  const reading: Promise<unknown>[] = [];
  for (const read of [reloadProjects, ...installed().map((feature) => feature.reload)]) {
    reading.push(Promise.resolve(read?.()).catch(() => undefined));
    await yieldToBrowser();
  }
  await Promise.all(reading);
}
