/** Web pages to work on, served under two names that are two sites to a browser: 127.0.0.1 and localhost. */

import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { library } from "./libraries";

const pages = new URL("./pages/", import.meta.url);

export interface Sites { here: string; there: string; stop(): Promise<void>; release(): number }

export async function startSites(): Promise<Sites> {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const html = (body: string): void => void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body);
    if (pathname === "/download.txt") return void response.writeHead(200, { "content-type": "text/plain", "content-disposition": "attachment; filename=report.txt" }).end("report");
    if (pathname === "/api/data") return void response.writeHead(200, { "content-type": "application/json" }).end('{"value":"from the server"}');
    if (pathname === "/missing") return void response.writeHead(404).end("gone");
    if (pathname === "/hop") return void response.writeHead(302, { location: searchParams.get("to") ?? "/form" }).end();
    // Answers only when the test says so.
    if (pathname === "/held") return void held.push(response);
    if (pathname === "/text") return html(`<!doctype html><title>Long</title><article><h1>Long</h1>${"<p>A sentence that fills the page with words, again and again, until it is long enough to matter.</p>".repeat(Number(searchParams.get("times")))}</article>`);
    if (pathname === "/many") return html(manyButtons(Number(searchParams.get("count"))));
    if (/^\/(lib|widget|bundle)\//.test(pathname)) {
      return void library(pathname).then((found) => (found ? response.writeHead(200, { "content-type": found.type }).end(found.body) : response.writeHead(404).end()), (error: unknown) => response.writeHead(500).end(String(error)));
    }
    try {
      const file = readFileSync(new URL(`.${pathname}.html`, pages), "utf8");
      html(file.replaceAll("{{there}}", there()).replaceAll("{{here}}", here()));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  const here = (): string => `http://127.0.0.1:${port}`;
  const there = (): string => `http://localhost:${port}`;
  return {
    here: here(),
    there: there(),
    release: () => held.splice(0).map((response) => response.end("late")).length,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function manyButtons(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `<li><span>Row ${at}</span> <button id="b${at}">Button ${at}</button></li>`).join("");
  return `<!doctype html><title>Many</title><ul>${rows}</ul><script>document.addEventListener("click",e=>{document.title="clicked "+e.target.id})</script>`;
}
