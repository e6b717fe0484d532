/** The apps page's requests to the server. */

import { deleteAt, fetchData, postJson } from "@handrail/host";
import { callTool } from "../tools/actions";
import type { AppDetails, AppsOverview, Consent, Server } from "./logic/apps";

const at = (id: string): string => `/api/apps/${encodeURIComponent(id)}`;

export const readApps = (): Promise<AppsOverview> => fetchData<AppsOverview>("/api/apps");
/** None where the server has no gateway. */
export const readServers = async (): Promise<Server[]> => (await fetchData<{ servers: Server[] }>("/api/servers").catch(() => ({ servers: [] }))).servers;
export const readApp = (id: string): Promise<AppDetails> => fetchData<AppDetails>(at(id));
export const callApp = (app: string, tool: string, params: unknown): Promise<unknown> => callTool("apps_call", { app, tool, params });

export const readConsents = async (): Promise<Consent[]> => (await fetchData<{ consents: Consent[] }>("/api/apps/consents")).consents;
export const revokeConsent = async (id: string): Promise<Consent[]> =>
  (await deleteAt<{ consents: Consent[] }>(`/api/apps/consents/${encodeURIComponent(id)}`)).consents;

export const keepKey = (id: string, key: string): Promise<AppDetails> => postJson<AppDetails>(`${at(id)}/key`, { key });
export const signOutOf = (id: string): Promise<AppDetails> => deleteAt<AppDetails>(`${at(id)}/sign-in`);

/** Returns the address at which the person signs in. */
export const beginSignIn = async (id: string, clientId: string): Promise<string> =>
  (await postJson<{ address: string }>(`${at(id)}/sign-in`, clientId ? { clientId } : {})).address;
