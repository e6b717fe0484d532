/** What the server says of itself: its tools, its policy, who has access, how it is. */

import { deleteAt, fetchData, postJson } from "@handrail/host";
import type { Access, Doctor, Policy, Tool } from "../store";

export const readTools = async (): Promise<Tool[]> => (await fetchData<{ tools: Tool[] }>("/api/tools")).tools;
export const callTool = (name: string, params: unknown): Promise<unknown> => postJson(`/api/tools/${encodeURIComponent(name)}`, params);
export const readPolicy = (): Promise<Policy> => fetchData<Policy>("/api/policy");
export const readAccess = (): Promise<Access> => fetchData<Access>("/api/access");
export const renewToken = (): Promise<Access> => postJson<Access>("/api/access/token", {});
export const endSession = (id: string): Promise<Access> => deleteAt<Access>(`/api/access/sessions/${encodeURIComponent(id)}`);
export const readDoctor = (): Promise<Doctor> => fetchData<Doctor>("/api/doctor");
