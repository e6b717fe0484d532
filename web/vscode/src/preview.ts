/** The preview: the game's own engine in a panel beside the text, at the line of the cursor. */
import {
  type Disposable, env, l10n, type TextEditor, Uri, ViewColumn, type WebviewPanel, window, workspace,
} from "vscode";
import type { Server, Wanted } from "./server.js";
import type { Variables } from "./variables.js";

const PAUSE = 300;

export class Preview implements Disposable {
  private panel: WebviewPanel | undefined;
  private address = "";
  private last: Wanted | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly listening: Disposable[];

  constructor(private readonly server: Server, private readonly variables: Variables) {
    this.listening = [
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      workspace.onDidChangeTextDocument(({ document }) => {
        const editor = window.activeTextEditor;
        if (editor?.document === document) this.follow(editor, true);
      }),
    ];
  }

  async showLine(): Promise<void> {
    const editor = sceneEditor();
    if (editor) await this.show(at(editor));
  }

  async showScene(): Promise<void> {
    const editor = sceneEditor();
    if (editor) await this.show({ uri: editor.document.uri.toString() });
  }

  /** The same place, with the current variables. */
  async again(): Promise<void> {
    if (this.panel && this.last) await this.show(this.last);
  }

  async openInBrowser(): Promise<void> {
    if (!this.address) await this.showLine();
    if (this.address) await env.openExternal(Uri.parse(this.address));
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const each of this.listening) each.dispose();
    this.panel?.dispose();
  }

  private async show(wanted: Wanted): Promise<void> {
    try {
      const shown = await this.server.show({ ...wanted, variables: this.variables.given() });
      this.last = wanted;
      await this.open(shown.url);
      this.say(shown.note ?? "");
    } catch (error) {
      void window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }

  private follow(editor: TextEditor, isEdited = false): void {
    if (!this.panel?.visible || editor.document.languageId !== "webgal") return;
    if (!workspace.getConfiguration("handrail").get("preview.followCursor")) return;
    const wanted = at(editor);
    const isThere = this.last?.uri === wanted.uri && this.last.line === wanted.line;
    if (isThere && !isEdited) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(wanted), PAUSE);
  }

  private async open(url: string): Promise<void> {
    if (this.panel && this.address === url) return; // the page follows by itself
    this.address = url;
    if (!this.panel) {
      const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
      this.panel = window.createWebviewPanel("handrail.preview", l10n.t("WebGAL Preview"), place, {
        enableScripts: true, // for the frame: the page around it has no scripts
        retainContextWhenHidden: true,
      });
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.address = "";
      });
    }
    this.panel.webview.html = page(await reachable(Uri.parse(url)));
  }

  private say(note: string): void {
    if (this.panel) this.panel.title = note ? `⚠ ${note}` : l10n.t("WebGAL Preview");
  }
}

/** In a remote window, VS Code forwards the port; an editor in a browser may use an address of its own. */
async function reachable(address: Uri): Promise<Uri> {
  const forwarded = await env.asExternalUri(address);
  return forwarded.path === address.path ? forwarded : address;
}

function sceneEditor(): TextEditor | undefined {
  const editor = window.activeTextEditor;
  return editor?.document.languageId === "webgal" ? editor : undefined;
}

function at(editor: TextEditor): Wanted {
  return { uri: editor.document.uri.toString(), line: editor.selection.active.line };
}

/** With the aspect ratio of a game's screen: engines rotate their stage in a frame that is higher than wide. */
function page(address: Uri): string {
  const origin = `${address.scheme}://${address.authority}`;
  return `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; frame-src ${origin}">
<style>body { display: grid; place-items: center; height: 100vh; margin: 0; padding: 0; background: #000; overflow: hidden }
iframe { width: min(100vw, 100vh * 16 / 9); aspect-ratio: 16 / 9; border: 0 }</style>
<iframe src="${address.toString(true)}" sandbox="allow-scripts allow-same-origin" allow="autoplay"></iframe>`;
}
