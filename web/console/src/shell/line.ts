/** The one connection to the server, and the host that speaks contract 5 over it. */

import { connect, createHost, serverTransport, type Host } from "@handrail/host";

export type Line = ReturnType<typeof connect>;
export type PanelControl = Parameters<typeof createHost>[0]["panel"];

let line: Line | null = null;
let host: Host | null = null;

export function openLine(panel: PanelControl): { line: Line; host: Host } {
  line = connect();
  host = createHost({ pluginId: "handrail", appId: "console", transport: serverTransport({ socket: line }), panel });
  return { line, host };
}

/** For pages that are fetched when they are opened, and want to hear and to say something then. */
export const theLine = (): Line | null => line;
export const theHost = (): Host | null => host;
