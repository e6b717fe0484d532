/** The extension: starts handrail's language server, shows lines in the engine, and lists the game's variables. */
import { commands, type ExtensionContext, l10n, Uri, window, workspace } from "vscode";
import { Preview } from "./preview.js";
import { Server } from "./server.js";
import { type Variable, Variables } from "./variables.js";

const DOCUMENTATION = "https://marketplace.visualstudio.com/items?itemName=handrail.handrail-webgal";

export async function activate(context: ExtensionContext): Promise<Api> {
  const server = new Server(context.extensionMode);
  const variables = new Variables(server, context.workspaceState);
  const preview = new Preview(server, variables);

  const start = async () => {
    try {
      await server.start();
      await commands.executeCommand("setContext", "handrail.isRunning", true);
      variables.refresh();
    } catch {
      await explainMissing(server.command);
    }
  };
  const command = (name: string, run: (...given: never[]) => unknown) =>
    context.subscriptions.push(commands.registerCommand(`handrail.${name}`, run));
  command("previewLine", () => preview.showLine());
  command("previewScene", () => preview.showScene());
  command("openPreviewInBrowser", () => preview.openInBrowser());
  command("setVariable", async (chosen?: Variable) => (await variables.ask(chosen)) && preview.again());
  command("clearVariable", (chosen: Variable) => { variables.clear(chosen); preview.again(); });
  command("refreshVariables", () => variables.refresh());
  command("restartServer", async () => { await server.stop(); await start(); });
  context.subscriptions.push(
    server,
    preview,
    window.registerTreeDataProvider("handrail.variables", variables),
    workspace.onDidSaveTextDocument((saved) => { if (saved.languageId === "webgal") variables.refresh(); }),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("handrail.command")) { await server.stop(); await start(); }
      else if (change.affectsConfiguration("handrail.language")) await server.tellLanguage();
    }),
  );
  await start();
  return { server, preview, variables };
}

/** For tests in a running VS Code. */
export interface Api {
  server: Server;
  preview: Preview;
  variables: Variables;
}

async function explainMissing(command: string): Promise<void> {
  const settings = l10n.t("Open Settings");
  const help = l10n.t("How to Install");
  const message = l10n.t("handrail could not be started: “{0}”. Install it, or set its full path.", command);
  const chosen = await window.showErrorMessage(message, settings, help);
  if (chosen === settings) await commands.executeCommand("workbench.action.openSettings", "handrail.command");
  if (chosen === help) await commands.executeCommand("vscode.open", Uri.parse(DOCUMENTATION));
}
