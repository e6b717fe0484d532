import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("../../web", import.meta.url));
// The example uses the host of this repository directly; an app elsewhere installs the package that `make host` builds.
const resolve = { alias: { "@handrail/host": join(web, "host/src/index.ts") } };

/** The address of `handrail up`, and its token, which stays in this process. */
function runningServer() {
  const home = process.env.XDG_STATE_HOME ?? join(homedir(), ".local/state");
  const file = join(process.env.HANDRAIL_STATE ?? join(home, "handrail"), "server.json");
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Error(`handrail isn't running (no ${file}). Start it with \`handrail up\`.`);
  }
}

export default function configuration({ command }) {
  if (command === "build") return { resolve, define: { CONSOLE: JSON.stringify("http://127.0.0.1:6006") } };
  const { host, port, token } = runningServer();
  const target = `http://${host}:${port}`;
  // Removes the Origin, which would be this server's own and unknown to handrail; with a valid token, none is needed.
  const configure = (proxy) => {
    for (const event of ["proxyReq", "proxyReqWs"]) proxy.on(event, (request) => request.removeHeader("origin"));
  };
  const forwarded = { target, changeOrigin: true, headers: { authorization: `Bearer ${token}` }, configure };
  const proxy = { "/api": forwarded, "/socket.io": { ...forwarded, ws: true } };
  return { resolve, define: { CONSOLE: JSON.stringify(target) }, server: { host: "127.0.0.1", fs: { allow: [".", web] }, proxy } };
}
