/** handrail's language server: its process, its language, and our two commands in it. */
import { type Disposable, env, ExtensionMode, EventEmitter, workspace } from "vscode";
import { LanguageClient, State, TransportKind } from "vscode-languageclient/node";

export interface Place {
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
}
export interface GameVariable { name: string; sets: Place[]; reads: Place[] }
export interface Shown { url: string; note: string | null }
export type Value = string | number | boolean;
export interface Wanted { uri: string; line?: number; variables?: Record<string, Value> }
/** The engine's last state; without `line` it is in another scene than the requested one. */
export interface Stage { scene: string; variables: Record<string, unknown>; uri: string | null; line: number | null }

const SHOW = "handrail.server.preview";
const LIST = "handrail.server.variables";
const STAGE = "handrail/previewState";

export class Server implements Disposable {
  private client: LanguageClient | undefined;
  private readonly staged = new EventEmitter<Stage>();
  readonly onStage = this.staged.event;

  constructor(private readonly mode: ExtensionMode) {}

  get command(): string {
    return workspace.getConfiguration("handrail").get("command") || "handrail";
  }

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  async start(): Promise<void> {
    const program = { command: this.command, args: ["webgal", "lsp"], transport: TransportKind.stdio };
    const client = new LanguageClient("handrail", "WebGAL (handrail)", program, {
      documentSelector: [{ scheme: "file", language: "webgal" }, { scheme: "file", pattern: "**/game/**/*.json" }],
      initializationOptions: { language: language() },
      diagnosticCollectionName: "handrail",
      outputChannelName: "WebGAL (handrail)",
    });
    client.onNotification(STAGE, (stage: Stage) => this.staged.fire(stage));
    this.client = client;
    await client.start();
    if (this.mode !== ExtensionMode.Production) client.outputChannel.appendLine(`Started ${this.command}.`);
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) await client.stop();
    await client?.dispose();
  }

  async tellLanguage(): Promise<void> {
    const settings = { handrail: { language: language() } };
    await this.client?.sendNotification("workspace/didChangeConfiguration", { settings });
  }

  show(wanted: Wanted): Promise<Shown> {
    return this.run(SHOW, wanted);
  }

  variables(uri: string): Promise<GameVariable[]> {
    return this.run(LIST, { uri });
  }

  dispose(): void {
    void this.stop();
    this.staged.dispose();
  }

  private async run<T>(command: string, given: object): Promise<T> {
    if (!this.client) throw new Error("handrail isn't running.");
    return this.client.sendRequest("workspace/executeCommand", { command, arguments: [given] });
  }
}

function language(): "en" | "zh" {
  const wanted = workspace.getConfiguration("handrail").get<string>("language");
  if (wanted === "en" || wanted === "zh") return wanted;
  return env.language.startsWith("zh") ? "zh" : "en";
}
