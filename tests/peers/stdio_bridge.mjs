// `node stdio_bridge.mjs COMMAND…`: an MCP server on stdio at an address, because the conformance suite knows only those.
// Passes messages on as they are; each session has a process of its own.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const [command, ...args] = process.argv.slice(2);
const sessions = new Map();

async function open() {
  const server = new StdioClientTransport({ command, args, env: process.env });
  const client = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, client),
  });
  const unanswered = new Set();
  client.onmessage = (message) => {
    if (message.method && message.id !== undefined) unanswered.add(message.id);
    void server.send(message);
  };
  server.onmessage = (message) => {
    const isAnswer = !message.method;
    if (isAnswer) unanswered.delete(message.id);
    const asked = isAnswer ? message.id : [...unanswered].at(-1); // on whose stream it goes
    void client.send(message, { relatedRequestId: asked });
  };
  client.onclose = () => server.close();
  await server.start();
  await client.start();
  return client;
}

const http = createServer(async (request, response) => {
  const client = sessions.get(request.headers["mcp-session-id"]) ?? (await open());
  await client.handleRequest(request, response);
});
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
process.on("SIGTERM", async () => {
  await Promise.all([...sessions.values()].map((each) => each.close()));
  process.exit(0);
});
