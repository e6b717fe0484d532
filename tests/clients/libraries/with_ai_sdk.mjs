// The AI SDK, with @ai-sdk/mcp.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAI } from "@ai-sdk/openai";
import { stepCountIs, streamText } from "ai";

const [prompt, url] = process.argv.slice(2);
const [command, ...args] = JSON.parse(process.env.MCP_SERVER);
const seconds = Number(process.env.CALL_SECONDS ?? 3600);

const client = await createMCPClient({ transport: new StdioTransport({ command, args }) });
const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" })("scripted");
const tools = await client.tools();
for (const tool of Object.values(tools)) {
  const execute = tool.execute;
  tool.execute = (input, options) => {
    const signals = [options.abortSignal, AbortSignal.timeout(seconds * 1000)].filter(Boolean);
    return execute(input, { ...options, abortSignal: AbortSignal.any(signals) });
  };
}

async function work(prompt, abortSignal) {
  const run = streamText({ model, tools, prompt, abortSignal, stopWhen: stepCountIs(20), onError: () => {} });
  for await (const part of run.fullStream) if (part.type === "abort") throw new Error("Cancelled.");
  return run.text;
}

const cancel = new AbortController();
process.on("SIGINT", () => cancel.abort());
try {
  console.log(await work(prompt, cancel.signal));
} catch (error) {
  if (!cancel.signal.aborted) throw error;
  console.log("Cancelled.");
  console.log(await work("Go on with something else."));
}
await client.close();
