/** Requests that local pages may send through the bridge: who is here, and pair. None of them acts on a page. */

import type { Connection } from "./connection";
import { failureOf } from "./failure";
import type { BridgeMessage } from "./messages";
import { isHandrail, needsConsent, pair } from "./pairing";
import { openRequest } from "./pair_requests";
import { isLoopback, isUsual, serverOrigin } from "./server_address";
import { clientId, pairing } from "./settings";

export async function answerBridge(message: BridgeMessage, origin: string, connection: Connection, show: () => Promise<void>): Promise<Record<string, unknown>> {
  if (!isLoopback(origin) || !(await isAllowed(origin))) return { ok: false, error: "origin not allowed" };
  if (message.type === "bridge/probe") return await whoIsHere(connection);
  return await pairWith(message, origin, show);
}

async function isAllowed(origin: string): Promise<boolean> {
  return (await pairing())?.server === origin || isUsual(origin) || (await isHandrail(origin));
}

async function whoIsHere(connection: Connection): Promise<Record<string, unknown>> {
  const { name, version } = chrome.runtime.getManifest();
  return { ok: true, extensionId: chrome.runtime.id, extensionName: name, version, clientId: await clientId(), socketConnected: connection.state === "connected" };
}

/** A page can offer only the server that it comes from, and only a person can accept it. */
async function pairWith({ server, code }: { server: string; code: string }, origin: string, show: () => Promise<void>): Promise<Record<string, unknown>> {
  const serverUrl = serverOrigin(String(server));
  if (serverUrl !== origin || typeof code !== "string" || !code) return { ok: false, error: "a page can only offer its own server" };
  if (!(await isHandrail(serverUrl))) return { ok: false, error: "this isn't a handrail server" };
  if (await needsConsent(serverUrl)) {
    const isAsked = await openRequest({ server: serverUrl, code }, show);
    return isAsked ? { ok: false, pending: true, error: "confirm in the extension's window" } : { ok: false, error: "another server is being asked about in the extension's window" };
  }
  try {
    await pair(serverUrl, code);
    return { ok: true, clientId: await clientId(), server: serverUrl };
  } catch (error) {
    return { ok: false, error: failureOf(error).message };
  }
}
