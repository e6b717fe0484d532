/** The one connection to the server, and the host that speaks contract 5 over it. */

import type { connect, createHost, Host } from "@handrail/host";

export type Line = ReturnType<typeof connect>;
export type PanelControl = Parameters<typeof createHost>[0]["panel"];

let line: Line | null = null;
let host: Host | null = null;

/** Socket.IO is fetched while the session is being checked. */
export const fetchSocket = (): Promise<typeof import("./socket")> => import("./socket");

export async function openLine(panel: PanelControl): Promise<{ line: Line; host: Host }> {
  const opened = (await fetchSocket()).openSocket(panel);
  ({ line, host } = opened);
  return opened;
}

/** For pages that are loaded later and need the connection then. */
export const currentLine = (): Line | null => line;
export const currentHost = (): Host | null => host;
