import { deleteAt, fetchData, keepPageSecret, postJson } from "@handrail/host";

export interface Program {
  name: string;
  lastSeen: string;
}

/** Each kind of token has its own members; this console knows the server's. */
export interface ServerToken {
  kind: "server";
  file: string;
  ending: string;
  programs: Program[];
}

export interface BrowserSession {
  id: string;
  createdAt: string;
  expiresAt: string;
  userAgent: string;
  isCurrent: boolean;
}

export interface Access {
  tokens: (ServerToken | { kind: string })[];
  sessions: BrowserSession[];
}

export const readAccess = (): Promise<Access> => fetchData<Access>("/api/access");
/** All other browsers are signed out; this page gets a new secret. */
export async function renewToken(): Promise<Access> {
  const { pageSecret, ...access } = await postJson<Access & { pageSecret?: string }>("/api/access/token", {});
  keepPageSecret(pageSecret);
  return access;
}

export const endSession = (id: string): Promise<Access> => deleteAt<Access>(`/api/access/sessions/${encodeURIComponent(id)}`);
