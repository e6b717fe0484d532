import { connect, consoleWindow, createHost, serverTransport } from "@handrail/host";
import { planTrip } from "./trip";

/** The address of `handrail up`, defined by vite.config.js. */
declare const CONSOLE: string;

const host = createHost({
  pluginId: "org.handrail.examples",
  appId: "trip",
  transport: serverTransport({ socket: connect() }),
  panel: consoleWindow({ consoleAddress: CONSOLE }),
});

const start = document.querySelector<HTMLButtonElement>("#start");
const log = document.querySelector<HTMLOListElement>("#log");

function append(line: string): void {
  const item = document.createElement("li");
  item.textContent = line;
  log?.append(item);
}

document.querySelector("#panel")?.addEventListener("click", () => void host.uiPrompts.toggle());
start?.addEventListener("click", () => {
  start.disabled = true;
  planTrip(host, append)
    .catch((error: unknown) => append(error instanceof Error ? error.message : String(error)))
    .finally(() => {
      start.disabled = false;
    });
});
