import { deleteAt, fetchData, postJson } from "@handrail/host";

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
export const renewToken = (): Promise<Access> => postJson<Access>("/api/access/token", {});
export const endSession = (id: string): Promise<Access> => deleteAt<Access>(`/api/access/sessions/${encodeURIComponent(id)}`);
