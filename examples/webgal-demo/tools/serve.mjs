// The game in its engine, on this machine alone: `npm run dev`, then open the address that it prints.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const engine = join(project, "node_modules", "webgal-engine", "dist");
const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".scss": "text/plain",
  ".txt": "text/plain",
  ".wav": "audio/wav",
};

function file(address) {
  const path = normalize(decodeURIComponent(new URL(address, "http://localhost").pathname));
  const wanted = path.endsWith(sep) ? join(path, "index.html") : path;
  const found = join(wanted.startsWith(`${sep}game${sep}`) ? project : engine, wanted);
  return statSync(found).isFile() ? found : undefined;
}

const server = createServer((request, response) => {
  let found;
  try {
    found = file(request.url);
  } catch {
    found = undefined;
  }
  if (!found) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "Content-Type": types[extname(found)] ?? "application/octet-stream" });
  createReadStream(found).pipe(response);
});

server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`晚风邮局 http://127.0.0.1:${server.address().port}/`);
});
