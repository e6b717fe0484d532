import { fetchData, postJson } from "@handrail/host";

/** A value in a client's own settings; with `isItem`, it is added to the list there. */
export interface Edit {
  file: string;
  keys: string[];
  value: unknown;
  isItem: boolean;
}

export interface Client {
  name: string;
  title: string;
  found: boolean;
  connected: boolean;
  hooks: "on" | "off" | "unsupported";
  otherServers: string[];
  tried: boolean;
  note: string;
  /** Why its files can't be read; empty where they can. */
  trouble: string;
  edits: Edit[];
  /** The digest of `edits`: only what was shown is written. */
  shown: string;
}

export interface Clients {
  clients: Client[];
  /** What any other MCP client has to start. */
  command: string;
}

export interface Connected {
  client: Client;
  tools: number;
}

export const readClients = (): Promise<Clients> => fetchData<Clients>("/api/clients");
export const connectClient = ({ name, shown }: Client): Promise<Connected> => postJson<Connected>(`/api/clients/${encodeURIComponent(name)}/connect`, { shown });
export const disconnectClient = ({ name }: Client): Promise<{ client: Client; left: string[] }> => postJson<{ client: Client; left: string[] }>(`/api/clients/${encodeURIComponent(name)}/disconnect`, {});

const SAMPLE = { path: "handrail-sample.txt", content: "This line was written after you approved it.\n" };

/** A real write through the gate: it waits for the person like any agent's. */
export async function askSample(): Promise<void> {
  await postJson("/api/tools/write_to_file", { ...SAMPLE, dryRun: true });
  await postJson("/api/tools/write_to_file", { ...SAMPLE, dryRun: false });
}

/** As it stands in the file: each file once, with what is written to it. */
export function written(edits: readonly Edit[]): string {
  const files = new Map<string, string[]>();
  for (const { file, keys, value, isItem } of edits) {
    const lines = files.get(file) ?? [];
    if (keys.length === 0) lines.push(String(value).trimEnd());
    else lines.push(`${keys.join(".")} ${isItem ? "+=" : "="} ${JSON.stringify(value, null, 2)}`);
    files.set(file, lines);
  }
  return [...files].map(([file, lines]) => `# ${file}\n${lines.join("\n")}`).join("\n\n");
}
