import { fetchData, postJson } from "@handrail/host";

/** A value in a client's own settings; with `isItem`, it is added to a list there. */
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
  /** `untrusted`: written, but the client skips them until they are trusted there. */
  hooks: "on" | "untrusted" | "off" | "unsupported";
  /** How well `handrail run` confines it on this machine. */
  cage: "full" | "narrow" | "none" | "unsupported";
  otherServers: string[];
  /** Its servers that are behind handrail, and where their entries are stored until it is disconnected. */
  moved: { name: string; keptIn: "keyring" | "file" }[];
  tried: boolean;
  note: string;
  /** Why its files can't be read; empty if they can. */
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
  /** Whether the client itself says so; null if it can't be asked. */
  runsHooks: boolean | null;
}

/** What one of a client's other servers offers, in its own words. */
export interface Offer {
  /** Only what was shown is accepted. */
  digest: string;
  place: string;
  diff: string;
  accepted: string[];
  withoutAsking: string[];
}

export const readClients = (): Promise<Clients> => fetchData<Clients>("/api/clients");
export const connectClient = ({ name, shown }: Client): Promise<Connected> => postJson<Connected>(`/api/clients/${encodeURIComponent(name)}/connect`, { shown });
export const disconnectClient = ({ name }: Client): Promise<{ client: Client; left: string[] }> => postJson<{ client: Client; left: string[] }>(`/api/clients/${encodeURIComponent(name)}/disconnect`, {});

const serverAt = (client: Client, server: string): string => `/api/clients/${encodeURIComponent(client.name)}/servers/${encodeURIComponent(server)}`;
export const lookAtServer = (client: Client, server: string): Promise<Offer> => postJson<Offer>(`${serverAt(client, server)}/look`, {});
export const moveServer = (client: Client, server: string, { digest }: Offer, askAlways: boolean, presence?: object): Promise<Client> =>
  postJson<{ client: Client }>(`${serverAt(client, server)}/move`, { digest, askAlways, ...(presence ? { presence } : {}) }).then(({ client: after }) => after);

const SAMPLE = { path: "handrail-sample.txt", content: "This line was written after you approved it.\n" };

/** A real write through the gate: it waits for approval like any agent's. */
export async function askSample(): Promise<void> {
  await postJson("/api/tools/write_to_file", { ...SAMPLE, dryRun: true });
  await postJson("/api/tools/write_to_file", { ...SAMPLE, dryRun: false });
}

/** Whether it is an agent's call, and not the person's own, here, on the command line or by testing a connection. */
export const isAgents = ({ caller = "" }: { caller?: string }): boolean => !/^(?:console:|cli:|mcp:handrail connect\/)/.test(caller);

/** The content as it will be in the file: each file once, with what is written to it. */
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
