/** Exchanges a one-time code for this plugin's own token, with a server that has proved to be handrail. */

import { Failure } from "./failure";
import { clientId, pairing, savePairing } from "./settings";
import { serverOrigin } from "./server_address";

const PATIENCE_MS = 8000;
const verified = new Set<string>();

export async function isHandrail(origin: string): Promise<boolean> {
  if (verified.has(origin)) return true;
  try {
    const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(PATIENCE_MS), credentials: "omit", redirect: "error" });
    const body = (await response.json()) as { name?: unknown; data?: { name?: unknown } };
    if ((body.name ?? body.data?.name) !== "handrail") return false;
    verified.add(origin);
    return true;
  } catch {
    return false;
  }
}

export async function pair(address: string, code: string): Promise<string> {
  const server = serverOrigin(address);
  if (!server) throw new Failure("BAD_REQUEST", chrome.i18n.getMessage("badAddress"));
  if (!(await isHandrail(server))) throw new Failure("UNAVAILABLE", chrome.i18n.getMessage("noServer"));
  const response = await fetch(`${server}/api/extension/pair`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-mimo-protocol": "1" },
    body: JSON.stringify({ code: code.trim(), clientId: await clientId(), extensionId: chrome.runtime.id, name: browserName() }),
    signal: AbortSignal.timeout(PATIENCE_MS),
    credentials: "omit",
    redirect: "error",
  });
  const body = (await response.json().catch(() => ({}))) as { data?: { token?: string }; token?: string; error?: { message?: string } };
  const token = body.data?.token ?? body.token;
  if (!response.ok || !token) throw new Failure("FORBIDDEN", body.error?.message ?? chrome.i18n.getMessage("badCode"));
  await savePairing({ server, token, pairedAt: Date.now() });
  return server;
}

/** Anything that answers like handrail could be a page's own server, so a person decides in the extension's window. */
export async function needsConsent(server: string): Promise<boolean> {
  return (await pairing())?.server !== server;
}

export function browserName(): string {
  const brands = (navigator as { userAgentData?: { brands: { brand: string }[] } }).userAgentData?.brands.map((one) => one.brand) ?? [];
  const brand = ["Microsoft Edge", "Brave", "Opera", "Google Chrome", "Chromium"].find((name) => brands.includes(name));
  return { "Microsoft Edge": "edge", Brave: "brave", Opera: "opera", Chromium: "chromium" }[brand ?? ""] ?? "chrome";
}
