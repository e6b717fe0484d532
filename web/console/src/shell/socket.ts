/** Opens the connection; loads Socket.IO with it. */

import { connect, createHost, serverTransport, type Host } from "@handrail/host";
import type { Line, PanelControl } from "./line";

export function openSocket(panel: PanelControl): { line: Line; host: Host } {
  const line = connect();
  const host = createHost({ pluginId: "handrail", appId: "console", transport: serverTransport({ socket: line }), panel });
  return { line, host };
}
